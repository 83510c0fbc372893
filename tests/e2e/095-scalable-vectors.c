/* Functions with scalable vectors have a calling convention of their own, and the kernel does not keep such registers
 * whole through a system call: a glob does not hook them, also where it names them, and others beside them it does.
 * MACHINE: aarch64
 * LIBRARY: libscaled.so
 * BUILD: gcc -O2 -fno-instrument-functions -march=armv8.2-a+sve
 * BUILD: gcc -O2 -fno-instrument-functions -march=armv8.2-a+sve -fno-plt
 * ENV: TRACE_HOOKS=scaled_*
 * CALLS: scaled_plain 3
 * CALLS: scaled_twice 0
 * CALLS: scaled_sum 0
 */
#include <arm_sve.h>
#include <stdio.h>

double scaled_plain(double n);
svfloat64_t scaled_twice(svfloat64_t vector, svbool_t lanes);
double scaled_sum(svfloat64_t vector);

#ifdef LIBRARY
double scaled_plain(double n) {
    return n + 1;
}
svfloat64_t scaled_twice(svfloat64_t vector, svbool_t lanes) {
    return svadd_x(lanes, vector, vector);
}
double scaled_sum(svfloat64_t vector) {
    return svaddv(svptrue_b64(), vector);
}
#else
int main(void) {
    for (int i = 0; i < 3; i++) {
        svfloat64_t vector = svcvt_f64_x(svptrue_b64(), svindex_s64(i, 1));
        printf("%g %g\n", scaled_plain(i), scaled_sum(scaled_twice(vector, svptrue_b64())));
    }
    return 0;
}
#endif
