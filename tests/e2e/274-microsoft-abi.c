/*
 * Functions of the Microsoft ABI keep registers that others may destroy, and so does the way through a hook.
 * MACHINE: x86_64
 * LIBRARY: libother.so
 * BUILD: gcc -O2 -fno-instrument-functions
 * BUILD: gcc -O2 -fno-instrument-functions -fno-plt
 * BUILD: clang -O2
 * ENV: TRACE_HOOKS=scale,sum
 * CALLS: scale 1000
 * CALLS: sum 1000
 */
#include <stdio.h>

#define MICROSOFT __attribute__((ms_abi, noinline, no_instrument_function))

MICROSOFT double scale(double number, int factor);
MICROSOFT long sum(long a, long b, long c, long d, long e, long f, long g);

#ifdef LIBRARY
MICROSOFT double scale(double number, int factor) {
    return number * factor;
}
MICROSOFT long sum(long a, long b, long c, long d, long e, long f, long g) {
    return a + 10 * b + 100 * c + 1000 * d + 10000 * e + 100000 * f + 1000000 * g;
}
#else
/* More is alive over the calls than fits into what both ABIs keep. */
MICROSOFT static long both(long a, long b, long c, long d, long times) {
    long kept[8] = {a, b, c, d, a ^ b, b ^ c, c ^ d, a + d}, total = 0;
    register long first = kept[0], second = kept[1], third = kept[2], fourth = kept[3], fifth = kept[4],
                  sixth = kept[5], seventh = kept[6], eighth = kept[7];
    for (long i = 0; i < times; i++) {
        total += sum(i, 2, 3, 4, 5, 6, 7) + (long)scale(1.5, (int)i);
        total ^= first + second * 3 + third * 5 + fourth * 7 + fifth * 11 + sixth * 13 + seventh * 17 + eighth * 19;
    }
    return total;
}

int main(int count, char **arguments) {
    (void)arguments;
    printf("%ld\n", both(count + 1, count + 2, count + 3, count + 4, 1000));
    return 0;
}
#endif
