/*
 * A signal that a process was ended by, as it was recorded: what it was, where it struck, and the stack of then as
 * names. A record of any content is harmless; what cannot be true gives no frames.
 */
#ifndef TRACESHIM_RENDER_CRASH_H
#define TRACESHIM_RENDER_CRASH_H

#include "render/attribute.h"
#include "render/module_map.h"

#include <stdio.h>

#define TS_CRASH_FRAMES_MOST 128u

struct ts_crash_frame {
    struct ts_function *function;
    const char *file; /* source file, without directories; NULL: not known */
    uint32_t line;
};

struct ts_crash {
    uint32_t process; /* number in its file */
    uint32_t thread;  /* the same; 0: it recorded nothing else */
    uint32_t tid;
    uint32_t signal;
    int32_t code;        /* si_code */
    uint32_t sender_pid; /* 0: no other process sent it */
    uint64_t clock;
    uint64_t address; /* that the failing instruction wanted; 0 where the signal has none */
    uint64_t program_counter;
    uint64_t stack_address;
    uint64_t *registers; /* by DWARF number */
    size_t register_count;
    uint8_t *stack; /* what lay from stack_address on, as far as it is pointers */
    size_t stack_bytes;
    struct ts_crash_frame *frames; /* of ts_crash_resolve: the innermost first */
    size_t frame_count;
    bool resolved;
    bool frames_cut; /* neither main nor a thread's start is among them */
};

/* From a CRASH record of `words`, which are at least its struct. */
void ts_crash_read(struct ts_crash *crash, uint32_t process, const uint32_t *record, uint32_t words);
void ts_crash_free(struct ts_crash *crash);

/* Fills the frames: to `main`, or to the function that the thread began with. `machine`: ELF e_machine. Once. */
void ts_crash_resolve(struct ts_crash *crash, uint16_t machine, const struct ts_module_map *modules,
                      struct ts_functions *functions);

/* The module where it struck, or whose code called what is none; NULL: not known. */
struct ts_object *ts_crash_object(const struct ts_crash *crash);

/* `SEGV_MAPERR`; NULL where the number has no name. */
const char *ts_crash_code_name(uint32_t signal, int32_t code);

/* The frames in one line, `crash_here at file.c:12 < caller < main`. Never NULL; free() it. */
char *ts_crash_stack_text(const struct ts_crash *crash);

/* `SIGSEGV (SEGV_MAPERR) at address 0x10, in crash_here at file.c:12 < caller < main`, safe for a terminal. */
void ts_crash_write(const struct ts_crash *crash, FILE *out);

/* What a person reads beside the signal's name, each where it is known. They live as long as the crash and `texts`. */
#define TS_CRASH_ATTRIBUTES 4
struct ts_crash_texts {
    char address[24];
    char *stack; /* free() it */
};
size_t ts_crash_attributes(const struct ts_crash *crash, struct ts_attribute *attributes, struct ts_crash_texts *texts);

#endif
