/* Whatever is passed to and returned from a hooked function arrives: structs in registers and through a hidden pointer,
 * x87 and complex numbers, vectors as wide as the machine has, 40 arguments on the stack, a struct of 300 bytes, one
 * that is aligned to 64, variadic doubles. Of the calls nothing is known but their names.
 * LIBRARY: libvalue.so
 * BUILD: gcc -O1 -fno-instrument-functions
 * BUILD: gcc -O0 -fno-instrument-functions
 * BUILD: gcc -O2 -fno-instrument-functions -fno-plt
 * BUILD: gcc -O1 -fno-instrument-functions -Wl,-z,now
 * BUILD: gcc -O1 -fno-instrument-functions -no-pie -fno-pie
 * BUILD: gcc -O1 -fno-instrument-functions -no-pie -fno-pie -fno-plt
 * BUILD: clang -O1
 * BUILD: clang -O2 -fno-plt
 * ENV: TRACE_HOOKS=value_*
 * CALLS: value_small 3
 * CALLS: value_mixed 3
 * CALLS: value_large 3
 * CALLS: value_long_double 3
 * CALLS: value_complex 3
 * CALLS: value_two_quads 3
 * CALLS: value_vector 3
 * CALLS: value_forty 3
 * CALLS: value_wide 3
 * CALLS: value_aligned 3
 * CALLS: value_variadic 3
 * CALLS: value_many_doubles 3
 * INFO: unfinished: 0
 */
#include <complex.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#ifdef __clang__ /* which has no -fno-instrument-functions */
#pragma clang attribute push(__attribute__((no_instrument_function)), apply_to = function)
#endif

struct small {
    long first;
    int second;
};
struct mixed {
    double first;
    long second;
};
struct large {
    long values[9];
};
struct wide {
    unsigned char bytes[300];
};
struct aligned {
    long values[8] __attribute__((aligned(64)));
};
typedef double vector __attribute__((vector_size(16)));
typedef double vector32 __attribute__((vector_size(32)));
typedef double vector64 __attribute__((vector_size(64)));
#ifdef __x86_64__
#define TARGET(name) __attribute__((target(name)))
#endif

#define FORTY(F)                                                                                                       \
    F(0), F(1), F(2), F(3), F(4), F(5), F(6), F(7), F(8), F(9), F(10), F(11), F(12), F(13), F(14), F(15), F(16),       \
        F(17), F(18), F(19), F(20), F(21), F(22), F(23), F(24), F(25), F(26), F(27), F(28), F(29), F(30), F(31),       \
        F(32), F(33), F(34), F(35), F(36), F(37), F(38), F(39), F(40), F(41), F(42), F(43), F(44), F(45)
#define PARAMETER(n) long a##n
#define VALUE(n) a##n
#define NUMBER(n) (n) * 3 + seed

struct small value_small(long first, int second);
struct mixed value_mixed(double first, long second);
struct large value_large(long seed, struct small small);
long double value_long_double(long double first, int second, long double third);
_Complex long double value_complex(_Complex long double z);
_Complex double value_two_quads(_Complex double z, float f);
vector value_vector(vector a, double b, vector c);
long value_forty(FORTY(PARAMETER));
struct wide value_wide(int seed, struct wide wide, long after);
long value_aligned(int seed, struct aligned aligned);
double value_variadic(int count, ...);
double value_many_doubles(double a, double b, double c, double d, double e, double f, double g, double h, double i,
                          float j, long double k, int l);
#ifdef TARGET
TARGET("avx") vector32 value_vector32(vector32 a, vector32 b);
TARGET("avx512f") vector64 value_vector64(vector64 a, vector64 b);
#endif

#ifdef LIBRARY
struct small value_small(long first, int second) {
    return (struct small){first * 2, second + 1};
}
struct mixed value_mixed(double first, long second) {
    return (struct mixed){first * 2, second + 1};
}
struct large value_large(long seed, struct small small) {
    struct large large;
    for (int i = 0; i < 9; i++)
        large.values[i] = seed * i + small.first + small.second;
    return large;
}
long double value_long_double(long double first, int second, long double third) {
    return first * second + third / 3;
}
_Complex long double value_complex(_Complex long double z) {
    return z * z + 1.25L;
}
_Complex double value_two_quads(_Complex double z, float f) {
    return z * f + 2;
}
vector value_vector(vector a, double b, vector c) {
    return a * b + c;
}
long value_forty(FORTY(PARAMETER)) {
    long values[] = {FORTY(VALUE)}, sum = 0;
    for (int i = 0; i < 46; i++)
        sum += values[i] * (i + 1);
    return sum;
}
struct wide value_wide(int seed, struct wide wide, long after) {
    for (int i = 0; i < 300; i++)
        wide.bytes[i] = (unsigned char)(wide.bytes[i] * 3 + seed + after);
    return wide;
}
long value_aligned(int seed, struct aligned aligned) {
    const struct aligned *at = &aligned;
    __asm__("" : "+r"(at)); /* what is known of it */
    long misaligned = 0;
#ifdef __x86_64__ /* others pass a pointer to a copy, which compilers do not all align */
    misaligned = (long)at % 64;
#endif
    return misaligned * 1000 + at->values[0] + at->values[7] * seed;
}
double value_variadic(int count, ...) {
    va_list list;
    va_start(list, count);
    double sum = 0;
    for (int i = 0; i < count; i++)
        sum = sum * 1.5 + va_arg(list, double) + va_arg(list, int);
    va_end(list);
    return sum;
}
double value_many_doubles(double a, double b, double c, double d, double e, double f, double g, double h, double i,
                          float j, long double k, int l) {
    return a + 2 * b + 3 * c + 4 * d + 5 * e + 6 * f + 7 * g + 8 * h + 9 * i + 10 * j + 11 * (double)k + 12 * l;
}
#ifdef TARGET
TARGET("avx") vector32 value_vector32(vector32 a, vector32 b) {
    return a * b + a;
}
TARGET("avx512f") vector64 value_vector64(vector64 a, vector64 b) {
    return a * b + a;
}
#endif
#else
#ifdef TARGET
TARGET("avx") static void use_vector32(int seed) {
    vector32 a = {seed, 1.5, 2.5, 3.5}, b = {2, 3, 4, seed};
    a = value_vector32(a, b);
    printf("vector32 %g %g %g %g\n", a[0], a[1], a[2], a[3]);
}
TARGET("avx512f") static void use_vector64(int seed) {
    vector64 a = {seed, 1, 2, 3, 4, 5, 6, 7}, b = {7, 6, 5, 4, 3, 2, 1, seed};
    a = value_vector64(a, b);
    printf("vector64 %g %g %g %g %g\n", a[0], a[1], a[4], a[6], a[7]);
}
#endif

static void use(int seed) {
    struct small small = value_small(seed, 7);
    printf("small %ld %d\n", small.first, small.second);
    struct mixed mixed = value_mixed(seed + 0.5, 8);
    printf("mixed %g %ld\n", mixed.first, mixed.second);
    struct large large = value_large(seed, small);
    printf("large %ld %ld\n", large.values[1], large.values[8]);
    printf("long double %.18Lg\n", value_long_double(seed + 0.1L, 3, 7));
    _Complex long double z = value_complex(seed + 2.5L * I);
    printf("complex %.18Lg %.18Lg\n", creall(z), cimagl(z));
    _Complex double y = value_two_quads(seed + 2.5 * I, 1.5f);
    printf("two quads %g %g\n", creal(y), cimag(y));
    vector a = value_vector((vector){seed, 1}, 2.5, (vector){3, 4});
    printf("vector %g %g\n", a[0], a[1]);
#ifdef TARGET
    if (__builtin_cpu_supports("avx"))
        use_vector32(seed);
    if (__builtin_cpu_supports("avx512f"))
        use_vector64(seed);
#endif
    printf("forty %ld\n", value_forty(FORTY(NUMBER)));
    struct wide wide;
    memset(&wide, seed, sizeof wide);
    wide.bytes[299] = 5;
    wide = value_wide(seed, wide, 77);
    unsigned long sum = 0;
    for (int i = 0; i < 300; i++)
        sum = sum * 31 + wide.bytes[i];
    printf("wide %lu\n", sum);
    printf("aligned %ld\n", value_aligned(seed, (struct aligned){{seed, 0, 0, 0, 0, 0, 0, 3}}));
    printf("variadic %g\n",
           value_variadic(9, 1.5, 1, 2.5, 2, 3.5, 3, 4.5, 4, 5.5, 5, 6.5, 6, 7.5, 7, 8.5, 8, 9.5, seed));
    printf("many doubles %g\n", value_many_doubles(1, 2, 3, 4, 5, 6, 7, 8, seed, 1.5f, 2.5L, 11));
}

int main(void) {
    for (int seed = 1; seed <= 3; seed++)
        use(seed);
    return 0;
}
#endif
#ifdef __clang__
#pragma clang attribute pop
#endif
