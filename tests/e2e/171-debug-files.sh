# Lines and inlined callers from wherever the debug information is: in the program, compressed, split into .dwo files,
# in a file beside it (.gnu_debuglink), or nowhere, when functions and lines are left out and the calls stay.
. "$SOURCES/lib.sh"
cat >program.c <<'P'
#include <unistd.h>
__attribute__((always_inline)) static inline int inner(void) {
    int r = access("/none", F_OK); __asm__ volatile("");
    return r;
}
__attribute__((noinline, noipa)) static int load(void) {
    return inner() + 1;
}
int main(void) {
    return load() > 5;
}
P
whole="main > load > inner"
# check NAME PROGRAM AT CALLER
check() {
    rm -rf out
    TRACE_HOOKS=access TRACE_LEVEL=2 TRACE_OUTPUT=out TRACE_FORMAT=none traced "$2" 2>err
    expect "$1: status" 0 $?
    "$TRACESHIM" export --format=chrome -o trace.json out 2>err || fail "$1: export: $(cat err)"
    python3 -c '
import json
for event in json.load(open("trace.json"))["traceEvents"]:
    if event["name"] == "access":
        print(event["args"].get("at"), event["args"].get("caller"), sep="|")' >seen
    grep -qE "^$3\|$4\$" seen || fail "$1: wanted $3|$4, got $(cat seen)"
}
for version in 4 5; do
    gcc -O2 -gdwarf-$version program.c -o plain || fail "cannot build"
    check "DWARF $version" ./plain program.c:3 "$whole"
    gcc -O2 -gdwarf-$version -gsplit-dwarf program.c -o split || fail "cannot build"
    ls ./*.dwo >/dev/null 2>&1 || fail "the compiler made no .dwo"
    check "split DWARF $version" ./split program.c:3 "$whole"
done
gcc -O2 -g -gz=zlib program.c -o compressed || fail "cannot build"
readelf -SW compressed | grep -A1 debug_info | grep -q C || readelf -tW compressed | grep -q COMPRESSED || fail "not compressed"
check "compressed" ./compressed program.c:3 "$whole"
objcopy --only-keep-debug plain beside.debug && strip plain -o beside && objcopy --add-gnu-debuglink=beside.debug beside ||
    fail "objcopy"
check "debug link" ./beside program.c:3 "$whole"
rm beside.debug
check "stripped" ./beside None 'beside\+0x[0-9a-f]+ > beside\+0x[0-9a-f]+'
