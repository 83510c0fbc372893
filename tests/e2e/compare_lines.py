#!/usr/bin/env python3
"""compare_lines.py GCOV LINES.json FILE: how `traceshim lines --format=json` counts the lines of FILE against gcov.

One line for each source line that both count and count differently, `LINE: gcov N, traceshim M`; then how many are the
same, and how many only one of both lists.
"""
import json
import os
import re
import sys


def gcov_counts(path):
    counts = {}
    with open(path, errors="replace") as lines:
        for line in lines:
            found = re.match(r"\s*([^:]+):\s*(\d+):", line)
            if not found or found[2] == "0" or int(found[2]) in counts:
                continue
            count = found[1].strip().rstrip("*")
            if count != "-":
                counts[int(found[2])] = 0 if count in ("#####", "=====") else int(count)
    return counts


def our_counts(path, name):
    counts = {}
    with open(path) as text:
        for file in json.load(text)["files"]:
            if os.path.basename(file["file"]) == name:
                counts.update((line["line"], line["count"]) for line in file["lines"])
    return counts


theirs, ours = gcov_counts(sys.argv[1]), our_counts(sys.argv[2], sys.argv[3])
both = theirs.keys() & ours.keys()
for number in sorted(both):
    if theirs[number] != ours[number]:
        print(f"{number}: gcov {theirs[number]}, traceshim {ours[number]}")
same = sum(theirs[number] == ours[number] for number in both)
print(f"same {same}, only gcov {len(theirs.keys() - both)}, only traceshim {len(ours.keys() - both)}")
