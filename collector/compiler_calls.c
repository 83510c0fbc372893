/*
 * Functions that compilers call by themselves, for a large initialiser or assignment, whatever they are told of
 * builtins. They are here, and hidden, since the program's or libc's own would use vector registers, which hold the
 * caller's arguments while a hook runs, or be replaced by ones that are instrumented.
 */
#include <stddef.h>
#include <stdint.h>
#include <string.h>

typedef uint64_t word __attribute__((aligned(1), may_alias));

/* Keeps a loop from being taken for the very function that it is the body of. */
#define LOOP_STAYS_LOOP() __asm__ volatile("" : : : "memory")

void *memset(void *start, int value, size_t bytes) {
    char *at = start, *end = at + bytes;
    word words = (uint8_t)value * UINT64_C(0x0101010101010101);
    for (; end - at >= (ptrdiff_t)sizeof(word); at += sizeof(word)) {
        *(word *)at = words;
        LOOP_STAYS_LOOP();
    }
    for (; at < end; at++) {
        *at = (char)value;
        LOOP_STAYS_LOOP();
    }
    return start;
}

void *memcpy(void *to, const void *from, size_t bytes) {
    char *target = to;
    const char *source = from;
    for (; bytes >= sizeof(word); bytes -= sizeof(word)) {
        *(word *)target = *(const word *)source;
        target += sizeof(word);
        source += sizeof(word);
        LOOP_STAYS_LOOP();
    }
    for (; bytes; bytes--) {
        *target++ = *source++;
        LOOP_STAYS_LOOP();
    }
    return to;
}
