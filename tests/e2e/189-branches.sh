# Branches and cases of switches are taken as often as clang's own coverage says (-fcoverage-mapping), by line, for
# trace-pc-guard and for trace-pc. Differences, all explained: a switch is jumps here and cases there; a ternary may be
# a conditional move; a condition over several lines stands in other lines; branches in a macro stand in its expansion.
. "$SOURCES/lib.sh"
source=$SOURCES/185-lines.c
llvm=
for version in '' -19 -18 -17 -16 -15 -14; do
    command -v "llvm-profdata$version" >/dev/null && command -v "llvm-cov$version" >/dev/null && llvm=$version && break
done
command -v clang >/dev/null && command -v "llvm-profdata$llvm" >/dev/null || skip "no clang or llvm-cov on this machine"
clang -O0 -g -w -fprofile-instr-generate -fcoverage-mapping "$source" -o mapped || skip "clang has no profile library"
LLVM_PROFILE_FILE=profile ./mapped >/dev/null && "llvm-profdata$llvm" merge profile -o profile.data &&
    "llvm-cov$llvm" show --show-branches=count -instr-profile profile.data ./mapped >mapped.txt || fail "llvm-cov"

for flags in trace-pc-guard,trace-cmp,no-prune trace-pc,trace-cmp,no-prune; do
    clang -O0 -g -w -fsanitize-coverage=$flags -fno-sanitize-link-runtime "$source" -o program \
        -L"$(dirname "$SHIM")" -ltraceshim || fail "$flags: cannot build"
    rm -rf out
    LD_LIBRARY_PATH=$(dirname "$SHIM") TRACE_LEVEL=3 TRACE_FORMAT=none TRACE_OUTPUT=out ./program >/dev/null || fail "status $?"
    "$TRACESHIM" lines --format=json -o lines.json out || fail "lines"
    python3 - "$source" >compared <<'P' || fail "$flags: $(cat compared)"
import collections, json, re, sys

source = open(sys.argv[1]).read().split("\n")
theirs, ours, cases = (collections.defaultdict(list) for _ in range(3))
for line in open("mapped.txt"):
    found = re.search(r"Branch \((\d+):\d+\): \[True: (\d+), False: (\d+)\]", line)
    if found:
        theirs[int(found[1])].append(tuple(sorted((int(found[2]), int(found[3])))))
file = [f for f in json.load(open("lines.json"))["files"] if f["file"].endswith("185-lines.c")][0]
for line in file["lines"]:
    for branch in line.get("branches", []):
        ours[line["line"]].append(tuple(sorted(branch["counts"])))
for case in file["switches"]:
    cases[case["line"]].append((case["case"], case["count"]))
wrong, same, switches = [], 0, 0
for number in sorted(set(theirs) | set(ours)):
    text = source[number - 1]
    if "switch" in text:  # the cases follow: llvm-cov tells how often each was jumped to, as the larger or smaller one
        for value, count in cases[number]:
            at = next(n for n in range(number, len(source)) if (f"case {value}:" if value != "default" else "default:") in source[n])
            switches += 1
            if all(count not in pair for pair in theirs[at + 1]):
                wrong.append(f"{at + 1}: case {value} taken {count}, llvm-cov {theirs[at + 1]}")
    elif "case " in text or "default:" in text:
        continue
    elif sorted(theirs[number]) == sorted(ours[number]):
        same += 1
    else:
        wrong.append(f"{number}: {sorted(ours[number])}, llvm-cov {sorted(theirs[number])}: {text.strip()}")
print("\n".join(wrong))
explained = ("a ? b ? 1", "return a && b", "&& c ?", "setjmp(place)", "MAX(a, b)")
unexplained = [line for line in wrong if not any(text in line for text in explained)]
print(same, "lines with the same branches,", switches, "cases")
sys.exit(1 if unexplained or same < 35 or switches != 12 else 0)
P
done
