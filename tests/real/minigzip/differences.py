#!/usr/bin/env python3
"""differences.py SOURCE GCOV OTHER-GCOV LINES.json: the lines of SOURCE that are counted otherwise than by the gcov of the
compiler that built the program, each with its kind:

    statement   it is part of a statement of several lines: which of them a part belongs to, gcov's notes and the line
                table of the program say differently
    other       the other compiler's gcov (OTHER-GCOV) counts as we do
    loop        a whole loop, written there or in a macro, or the head of one without a condition: several blocks of one
                line, between which the ways are the compiler's own
    end         the brace that ends a function, where its returns come together
    UNKNOWN     none of these

then `same N` and how many there are of each kind.
"""
import collections
import os
import re
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
COMPARE = os.path.join(HERE, "..", "..", "e2e", "compare_lines.py")


def without_comments(text):
    """The same lines, with blanks for comments, literals and directives."""
    def blank(found):
        return re.sub(r"[^\n]", " ", found[0])
    text = re.sub(r'/\*.*?\*/|//[^\n]*|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])*\'', blank, text, flags=re.S)
    return re.sub(r"^[ \t]*#(?:\\\n|[^\n])*", blank, text, flags=re.M)


def lines_of_long_statements(path):
    with open(path, errors="replace") as source:
        text = without_comments(source.read())
    lines, first, parentheses, line = set(), None, 0, 1
    for character in text:
        if character == "\n":
            line += 1
        elif not character.isspace() and first is None:
            first = line
        parentheses += (character == "(") - (character == ")")
        if (character in "{}" or (character == ";" and parentheses <= 0)) and first is not None:
            if line > first:
                lines.update(range(first, line + 1))
            first, parentheses = None, 0
    return lines


def loop_lines(path):
    """Lines with a loop of their own: `for (;;)`, `do ... while`, or a macro that has one."""
    with open(path, errors="replace") as source:
        text = source.read()
    macros = [name for name, body in re.findall(r"^[ \t]*#\s*define\s+(\w+)((?:\\\n|[^\n])*)", text, re.M)
              if re.search(r"\b(while|for)\b", body)]
    loop = re.compile(r"\bfor \(;;\)|\bdo\b.*\bwhile\b" + "".join(r"|\b%s\b" % name for name in macros))
    return {number for number, line in enumerate(without_comments(text).split("\n"), 1) if loop.search(line)}


def end_lines(path):
    with open(path, errors="replace") as source:
        return {number for number, line in enumerate(source, 1) if line.startswith("}")}


def counts(gcov):
    found = {}
    if os.path.exists(gcov):
        with open(gcov, errors="replace") as lines:
            for line in lines:
                match = re.match(r"\s*(\d+|#####|=====)\*?:\s*(\d+):", line)
                if match:
                    found.setdefault(int(match[2]), 0 if match[1][0] in "#=" else int(match[1]))
    return found


def main():
    source, gcov, other, ours = sys.argv[1:]
    name = os.path.basename(source)
    text = subprocess.run([COMPARE, gcov, ours, name], check=True, stdout=subprocess.PIPE, text=True).stdout
    others, total = counts(other), collections.Counter()
    kinds = [("statement", lines_of_long_statements(source)), ("loop", loop_lines(source)), ("end", end_lines(source))]
    for number, theirs, own in re.findall(r"^(\d+): gcov (\d+), traceshim (\d+)$", text, re.M):
        kind = "other" if others.get(int(number)) == int(own) else \
            next((kind for kind, lines in kinds if int(number) in lines), "UNKNOWN")
        total[kind] += 1
        print(f"{kind:9} {name}:{number}: gcov {theirs}, traceshim {own}")
    same = int(re.search(r"^same (\d+)", text, re.M)[1])
    print(", ".join([f"same {same}"] + [f"{kind} {count}" for kind, count in sorted(total.items())]))


main()
