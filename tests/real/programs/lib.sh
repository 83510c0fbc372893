# For the programs' scripts: `run` runs each with bash in an empty directory, once untraced and once for each selection of
# hooks, and compares what it prints and its status. A script therefore prints nothing that differs from run to run.
#   LONG           1: take the time; else stay within seconds
#   HERE           this directory
#   SHIM, TRACES   the library, empty when this run is untraced; the directory of the traces
#   FETCHED        a directory that is the same for all runs of a script
# Only what `traced` or `serve` run is traced. Python is the distribution's, /usr/bin/python3.
set -u
export LC_ALL=C.UTF-8 TZ=UTC HOME=$PWD
runs=0

# options PROGRAM: sets `options` to what makes env trace the program, in a session of its own, or to nothing
options() {
    options=()
    [ -z "$SHIM" ] || options=(LD_PRELOAD="$SHIM" TRACE_OUTPUT="$TRACES/$(basename "$1")-$BASHPID-$((runs += 1))"
        TRACE_FORMAT=none TRACE_MAX_SIZE=256M)
}

# traced PROGRAM...
traced() {
    options "$1"
    env "${options[@]}" "$@"
}

# serve PROGRAM...: traced in the background, its output in server.out; `server` is its process
serve() {
    options "$1"
    env "${options[@]}" "$@" >server.out 2>&1 &
    server=$!
}

skip() {
    echo "$*" >&2
    exit 77
}

# fetch PACKAGE: unpacks it to $FETCHED/PACKAGE, which stays for the other runs, without installing it
fetch() {
    [ -d "$FETCHED/$1" ] && return 0
    (cd "$FETCHED" && apt-get -qq -o APT::Sandbox::User=root download "$1" && dpkg -x "$1"_*.deb "$1") >/dev/null 2>&1
}

# suite_source PACKAGE: sets `suite` to its source's directory, unpacked, which stays for the other runs. Only when LONG.
suite_source() {
    local work=$FETCHED
    [ "$LONG" = 1 ] || skip "only with --long"
    # shellcheck source=tests/real/source.sh
    . "$HERE/../source.sh"
    suite=$(find "$FETCHED/source" -maxdepth 1 -type d -name "$1-*" 2>/dev/null)
    [ -n "$suite" ] || { fetch_source "$1" && suite=$(find "$FETCHED/source" -maxdepth 1 -type d -name "$1-*"); } ||
        skip "no source of $1"
}

# free_port: a port of the loopback address that nobody listens on
free_port() {
    /usr/bin/python3 -c 'import socket; s = socket.socket(); s.bind(("127.0.0.1", 0)); print(s.getsockname()[1])'
}

# listening PORT: waits until somebody does, ten seconds at most
listening() {
    local attempt
    for attempt in $(seq 200); do
        (exec 3<>"/dev/tcp/127.0.0.1/$1") 2>/dev/null && return 0
        sleep 0.05
    done
    echo "nobody listens"
    return 1
}

# end SIGNAL: asks the server to end, waits, and prints its status
end() {
    kill "-$1" "$server"
    wait "$server"
    echo "status of the server: $?"
}

# python_suite MODULE PATTERN...: tests of Python's own, and what became of each; all of them when LONG
python_suite() {
    [ -e "/usr/lib/$(readlink /usr/bin/python3)/test/test_json" ] || skip "no libpython3-testsuite"
    traced /usr/bin/python3 "$HERE/suite.py" "$@" 2>suite.err || tail -n 40 suite.err >&2
}
