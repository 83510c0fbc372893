# libunwind is in the process at level 2 and above alone, where the program does not see it. Without it there is one
# line, and the calls have their callers all the same, up to code that has no unwind table.
. "$SOURCES/lib.sh"
cat >program.c <<'P'
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
static int count(const char *name) {
    char line[4096];
    int found = 0;
    FILE *maps = fopen("/proc/self/maps", "r");
    while (fgets(line, sizeof line, maps))
        found += strstr(line, name) != NULL;
    fclose(maps);
    return found != 0;
}
__attribute__((noinline, noipa)) static int load(void) { return access("/none", F_OK) + 1; }
int main(void) {
    load();
    printf("mapped %d, in the global scope %d %d\n", count("/libunwind"), dlsym(RTLD_DEFAULT, "unw_backtrace") != NULL,
           dlsym(RTLD_DEFAULT, "_Ux86_64_getcontext") != NULL);
    return 0;
}
P
gcc -g -O1 program.c -o program || fail "cannot build"
export TRACE_HOOKS=access TRACE_FORMAT=none
for level in 0 1; do
    TRACE_LEVEL=$level TRACE_OUTPUT=out$level traced ./program >stdout 2>err || fail "status"
    expect "level $level" "mapped 0, in the global scope 0 0" "$(cat stdout)"
    expect "stderr at level $level" "" "$(cat err)"
done
mkdir empty
echo "no library" >empty/libunwind.so.8
for level in 2 3; do
    TRACE_LEVEL=$level TRACE_OUTPUT=missing$level LD_LIBRARY_PATH=$PWD/empty traced ./program >stdout 2>err ||
        fail "status"
    expect "level $level without it" "mapped 0, in the global scope 0 0" "$(cat stdout)"
    expect_one_line err
    expect_line err 'libunwind\.so\.8 cannot be loaded'
    "$TRACESHIM" info missing$level >info.out || fail "info"
    expect_line info.out '^not seen: callers behind code without an unwind table: libunwind'
    "$TRACESHIM" tree --calls missing$level >tree.out || fail "tree"
    expect "tree without it" "main load access" "$(sed -E 's/^[^a-z]*//; s/ .*//' tree.out | xargs)"
done
ldconfig -p | grep -q 'libunwind\.so\.8' || skip "libunwind is not installed: nothing to see of it"
for level in 2 3; do
    TRACE_LEVEL=$level TRACE_OUTPUT=out$level traced ./program >stdout 2>err || fail "status"
    expect "level $level" "mapped 1, in the global scope 0 0" "$(cat stdout)"
    expect "stderr at level $level" "" "$(cat err)"
done

# Code without an unwind table, which keeps its frame pointer: libunwind gets over it, the tables alone do not.
gcc -g -O1 -fno-asynchronous-unwind-tables -fno-omit-frame-pointer -DBARE -c -x c - -o bare.o <<'P' || fail "cannot build"
#include <unistd.h>
__attribute__((noinline)) int bare(void) { int r = access("/none", F_OK); __asm__ volatile(""); return r + 1; }
P
gcc -g -O1 -x c - -x none bare.o -o mixed <<'P' || fail "cannot build"
int bare(void);
__attribute__((noinline, noipa)) static int load(void) { return bare() + 1; }
int main(void) { return load() > 5; }
P
TRACE_LEVEL=2 TRACE_OUTPUT=mixed.out traced ./mixed 2>err || fail "status"
"$TRACESHIM" tree --calls mixed.out >tree.out || fail "tree"
expect "code without a table" "main load bare access" "$(sed -E 's/^[^a-z]*//; s/ .*//' tree.out | xargs)"
"$TRACESHIM" info mixed.out >info.out || fail "info"
expect_line info.out '^caller stacks: .* [1-9][0-9]* frames by libunwind'
