/*
 * Stacks that contexts run on, by address: those that the program announced (makecontext), and those that the recorder
 * had to guess. Threads share them: a context may run on any of them. Lock-free and async-signal-safe; finding one
 * costs the same however many there are, and memory is bounded by the addresses that stacks ever had.
 */
#ifndef TRACESHIM_COLLECTOR_STACKS_H
#define TRACESHIM_COLLECTOR_STACKS_H

#include <stdint.h>

struct ts_stack {
    uint64_t low;
    uint64_t bytes;
    uint64_t stamp; /* grows with each that becomes known: another one means another stack, at the same place too */
};

/* Its bounds are not announced, but follow the addresses that were seen. */
#define TS_STACK_GUESSED UINT64_C(1)

/*
 * The program makes a context on this stack. What was known to overlap it has ended; not so a stack that holds it
 * whole: the new one may be an array in one of its frames. Stacks below 4 KiB go unnoticed.
 */
void ts_stacks_note(uint64_t low, uint64_t bytes);
/* An event came from here: whole pages, no part of a known stack. 0, or -1 when there is no memory. */
int ts_stacks_guess(uint64_t low, uint64_t bytes, struct ts_stack *guessed);
/* A guessed stack begins lower. */
void ts_stacks_extend(struct ts_stack *guessed, uint64_t low);
/* The stack that holds `address`: 0, or -1 when none is known. */
int ts_stacks_find(uint64_t address, struct ts_stack *found);
/* Stamps of stacks that become known from now on are greater. */
uint64_t ts_stacks_newest(void);

#endif
