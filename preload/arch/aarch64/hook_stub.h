/* The stubs of hooked functions, for C and assembly. */
#ifndef TRACESHIM_PRELOAD_HOOK_STUB_H
#define TRACESHIM_PRELOAD_HOOK_STUB_H

/* More than any program has library functions to call; what finds no stub is counted and said. */
#define TS_HOOK_STUBS 32768
#define TS_HOOK_STUB_BYTES 16

/* The first stubs are those of functions that ts_hook_try_quickly is called for. */
#define TS_HOOK_STUBS_TRIED 32

#ifndef __ASSEMBLER__

#include <stdint.h>

/* Executable code; stub i is at ts_hook_stubs + i * TS_HOOK_STUB_BYTES. */
extern const uint8_t ts_hook_stubs[];

/* Where the functions that stubs have called return to. */
extern const uint8_t ts_hook_returned[];

/* Of a stub's frame, below where its frame pointer points: above are its stack arguments, copied. */
#define TS_HOOK_FRAME_BELOW 80

#define TS_HOOK_REGISTER_ARGUMENTS 8

/* As the caller left them, in the order of ts_hook_call's stores. */
struct ts_hook_registers {
    uint64_t arguments[TS_HOOK_REGISTER_ARGUMENTS];
    uint64_t result_place; /* x8: where a large result is to be put */
    uint64_t chain;        /* x18: of gcc's nested functions */
};

/* The stub's frame, from its frame record up. */
struct ts_hook_frame {
    uint64_t pointer; /* the caller's x29 */
    uint64_t return_address;
    uint64_t number;
    uint64_t kept;              /* the caller's x19 */
    uint64_t stack_arguments[]; /* the caller's; here is the CFA */
};

#endif
#endif
