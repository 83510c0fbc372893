#!/usr/bin/env python3
"""Measures what README claims: tests/bench/run.py [--build DIR] [--rounds N] [--billion] [PART...]

Each comparison alternates its candidates (A B A B) and takes medians of at least five rounds. Costs of events are CPU
time per event above the same program with empty hooks: in the program, measured by itself around its calls, and in all
processes that take part (recorders that write from another process). A goal that is missed is marked, and the status is
1. What is not installed is left out by name.
"""
import argparse
import os
import shutil
import sys

import callers
import covered
import hooked
import instrumented
import processes
import rendering
from harness import HERE, Bench

ROOT = os.path.dirname(os.path.dirname(HERE))
PARTS = {"ring": instrumented.part_ring, "file": instrumented.part_file, "threads": instrumented.part_threads,
         "off": instrumented.part_off, "start": processes.part_start, "fork": processes.part_fork,
         "calls": hooked.part_calls, "callers": callers.part_callers, "lines": covered.part_lines,
         "programs": hooked.part_programs, "render": rendering.part_render, "scale": rendering.part_scale}


def main():
    parser = argparse.ArgumentParser(description="measures what README claims")
    parser.add_argument("--build", default=os.path.join(ROOT, "build"))
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--billion", action="store_true",
                        help="part scale also with a trace of a thousand million events: minutes, 8 GB of disk")
    parser.add_argument("parts", nargs="*", metavar="PART", help="one of " + ", ".join(PARTS))
    options = parser.parse_args()
    for part in options.parts:
        if part not in PARTS:
            parser.error("no part " + part)
    bench = Bench(options)
    try:
        for name, part in PARTS.items():
            if not options.parts or name in options.parts:
                part(bench)
    finally:
        shutil.rmtree(bench.work, ignore_errors=True)
    print("every goal is met" if not bench.missed else "%d goals are missed" % bench.missed)
    return 1 if bench.missed else 0


if __name__ == "__main__":
    sys.exit(main())
