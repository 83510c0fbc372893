"""LTTng as a peer."""
import os
import shutil
import subprocess


class Lttng:
    """A session daemon of our own, with its files in a directory of ours."""

    def __init__(self, directory):
        self.env = dict(LTTNG_HOME=directory, LTTNG_RUNDIR=directory, HOME=directory)
        self.pid_file = os.path.join(directory, "pid")
        self.directory = directory
        os.makedirs(directory)
        self.call("lttng-sessiond", "--daemonize", "--no-kernel", "--pidfile", self.pid_file)

    def call(self, *command):
        """Runs a command with the daemon's environment."""
        subprocess.run(command, env={**os.environ, **self.env}, check=True, stdout=subprocess.DEVNULL,
                       stderr=subprocess.DEVNULL, timeout=60)

    def session(self, measure):
        def measured():
            self.call("lttng", "create", "bench", "--output", os.path.join(self.directory, "trace"))
            self.call("lttng", "enable-event", "-u", "lttng_ust_cyg_profile_fast:*")
            self.call("lttng", "start")
            try:
                return measure()
            finally:
                self.call("lttng", "destroy", "bench")
                shutil.rmtree(os.path.join(self.directory, "trace"), ignore_errors=True)
        return measured

    def pids(self):
        """The session daemon, and its children: the consumers, which write the files."""
        with open(self.pid_file, encoding="ascii") as file:
            daemon = file.read().strip()
        with open("/proc/%s/task/%s/children" % (daemon, daemon), encoding="ascii") as file:
            return [daemon, *file.read().split()]

    def cpu(self):
        """CPU seconds of the daemons so far."""
        ticks = 0
        for pid in self.pids():
            with open("/proc/%s/stat" % pid, encoding="ascii") as file:
                ticks += sum(int(field) for field in file.read().rsplit(")", 1)[1].split()[11:13])
        return ticks / os.sysconf("SC_CLK_TCK")

    def close(self):
        os.kill(int(self.pids()[0]), 15)


def lttng_library():
    listing = subprocess.run(["ldconfig", "-p"], stdout=subprocess.PIPE, check=False).stdout.decode()
    for line in listing.splitlines():
        if "liblttng-ust-cyg-profile-fast.so" in line:
            return line.split("=>")[1].strip()
    return None
