/* What a coverage callback costs that does nothing; with COUNT, how often it is called, printed at the end. */
#include <stdio.h>

void __sanitizer_cov_trace_pc(void);

#ifdef COUNT
static unsigned long count;

void __sanitizer_cov_trace_pc(void) {
    count++;
}

__attribute__((destructor)) static void tell(void) {
    printf("%lu 0\n", count);
}
#else
void __sanitizer_cov_trace_pc(void) {
}
#endif
