# Functions of two libraries that end by jumping to one another, without an end: under hooks too they need no more stack
# than a few of them do, on a small stack too, and get their arguments, those on the stack too.
. "$SOURCES/lib.sh"
cat >other.c <<'P'
long even(long n, long a, long b, long c, long d, long e, long f, long g);
long odd(long n, long a, long b, long c, long d, long e, long f, long g) {
    return n ? even(n - 1, b, c, d, e, f, g + 1, a) : a + 2 * b + 3 * c + 4 * d + 5 * e + 6 * f + 7 * g;
}
P
sed 's/even/EVEN/; s/odd/even/; s/EVEN/odd/; s/even(n - 1/odd(n - 1/; s/^long odd(.*;/long odd(long n, long a, long b, long c, long d, long e, long f, long g);/' other.c >one.c
cat >program.c <<'P'
#include <pthread.h>
#include <stdio.h>
long even(long n, long a, long b, long c, long d, long e, long f, long g);
static void *run(void *steps) {
    for (long n = 0; n < 40; n++)
        if (even(n, 1, 2, 3, 4, 5, 6, 7) == 0)
            puts("0");
    printf("%ld\n", even((long)steps, 1, 2, 3, 4, 5, 6, 7));
    return NULL;
}
int main(void) {
    pthread_attr_t attributes;
    pthread_t thread;
    pthread_attr_init(&attributes);
    pthread_attr_setstacksize(&attributes, 64 << 10);
    pthread_create(&thread, &attributes, run, (void *)1000);
    pthread_join(thread, NULL);
    run((void *)100000);
    return 0;
}
P
for frames in -fomit-frame-pointer -fno-omit-frame-pointer; do
    gcc -w -O2 $frames -fPIC -shared -o libone.so one.c && gcc -w -O2 $frames -fPIC -shared -o libother.so other.c &&
        gcc -w -O2 $frames -pthread program.c -o program -L. -Wl,-rpath,"$PWD" -Wl,--no-as-needed -lone -lother ||
        fail "cannot build"
    ./program >wanted
    for level in 1 2; do
        rm -rf out
        TRACE_HOOKS='*' TRACE_LEVEL=$level TRACE_FORMAT=none TRACE_OUTPUT=out traced ./program >stdout 2>err
        expect "status at level $level" 0 $?
        expect "standard output at level $level" "$(cat wanted)" "$(cat stdout)"
        expect "calls of even" 51342 "$(calls out even)"
        expect "calls of odd" 51300 "$(calls out odd)"
        expect "misnested" 0 "$(info out misnested)"
    done
done
