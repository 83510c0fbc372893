"""
Run by gdb inside 174-callers-gdb.sh: stops at some of the calls that are recorded and writes what gdb says of their
callers, as return addresses from the innermost on: one JSON object, by the number of the call.
"""
import json
import os
import random

import gdb

STOPS = int(os.environ["STOPS"])
AMONG = int(os.environ["AMONG"])


def callers():
    """Return addresses of the frames around the stub."""
    addresses = []
    frame = gdb.newest_frame()
    while frame and frame.name() != "ts_hook_call":
        frame = frame.older()
    frame = frame.older() if frame else None
    while frame:
        # A function that jumped to its callee has left no frame: gdb infers it from debug information.
        if frame.type() not in (gdb.INLINE_FRAME, gdb.TAILCALL_FRAME):
            addresses.append(frame.pc())
        frame = frame.older()
    return addresses


def main():
    for setting in ("pagination off", "confirm off", "backtrace past-main on", "backtrace past-entry on",
                    "breakpoint pending on", "startup-with-shell off", "detach-on-fork on",
                    "follow-fork-mode parent", "print inferior-events off"):
        gdb.execute("set " + setting, to_string=True)
    for signal in ("SIGCHLD", "SIGPIPE", "SIGALRM"):
        gdb.execute("handle %s nostop noprint pass" % signal, to_string=True)
    stop = gdb.Breakpoint("ts_recorder_hook_enter_from")
    gdb.execute("run", to_string=True)
    seen = {}
    here = 1
    for number in sorted(random.Random(0).sample(range(1, AMONG), STOPS)):
        try:
            if number > here:
                stop.ignore_count = number - here - 1
                gdb.execute("continue", to_string=True)
                here = number
            seen[number] = callers()
        except gdb.error:  # the program is over
            break
    stop.enabled = False
    try:
        gdb.execute("continue", to_string=True)
    except gdb.error:
        pass
    with open("gdb.json", "w", encoding="utf-8") as out:
        json.dump(seen, out)
    gdb.execute("quit", to_string=True)


main()
