# Libraries that are loaded later and want a place in every thread's data (initial-exec) find as much of it as untraced.
. "$SOURCES/lib.sh"
echo '_Thread_local char data[16] __attribute__((tls_model("initial-exec"))); int use(void) { return ++data[5]; }' >late.c
gcc -w -shared -fPIC late.c -o late0.so || fail "cannot build"
for number in $(seq 149); do
    cp late0.so late"$number".so
done
gcc -w -g -O1 -finstrument-functions -x c - -o program <<'P' || fail "cannot build"
#include <dlfcn.h>
#include <stdio.h>
int main(void) {
    int loaded = 0;
    for (char name[32]; loaded < 150; loaded++) {
        sprintf(name, "./late%d.so", loaded);
        void *library = dlopen(name, RTLD_NOW);
        if (!library || ((int (*)(void))dlsym(library, "use"))() != 1)
            break;
    }
    printf("%d\n", loaded);
    return 0;
}
P
wanted=$(./program)
[ "$wanted" -gt 3 ] && [ "$wanted" -lt 150 ] || skip "this loader keeps no bounded place"
for level in 0 1 3; do
    expect "libraries at level $level" "$wanted" "$(TRACE_LEVEL=$level TRACE_FORMAT=none TRACE_OUTPUT=out$level traced ./program)"
done
