/*
 * A function written in assembly calls with a stack that is not aligned as the ABI wants, which does not matter to what
 * it calls. Nor to the recorder, also where it asks libunwind for the callers, which stores vectors on the stack.
 * BUILD: gcc -O1 -fno-asynchronous-unwind-tables
 * BUILD: clang -O1
 * ENV: TRACE_LEVEL=2
 * ENV: TRACE_HOOKS=close
 * MACHINE: x86_64
 * CALLS: step 32
 * CALLS: close 32
 */
#include <stdio.h>
#include <unistd.h>

__attribute__((noinline, used)) long step(long number) {
    return close(-1) + number;
}

/* Calls step(number) with the stack `number` bytes off. */
long call_off(long number);
__asm__(".text\n"
        "call_off:\n"
        "push %rbx\n"
        "mov %rsp, %rbx\n"
        "and $-64, %rsp\n"
        "sub %rdi, %rsp\n"
        "call step\n"
        "mov %rbx, %rsp\n"
        "pop %rbx\n"
        "ret\n");

int main(void) {
    long sum = 0;
    for (long number = 0; number < 32; number++)
        sum += call_off(number);
    printf("%ld\n", sum);
    return 0;
}
