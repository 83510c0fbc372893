/*
 * Builds synthetic traces exactly as collector/trace_format.h describes them, for unit tests.
 *
 *     struct trace_builder *builder = trace_builder_new(100);          // pid 100, clock = CLOCK_MONOTONIC
 *     trace_builder_executable(builder, "/usr/bin/demo", 0x10000);     // name, command line and one module
 *     trace_builder_window(builder, 1, TRACE_NS(1000));                // thread 1
 *     trace_builder_enter(builder, TRACE_NS(1100), 0x10400);
 *     trace_builder_exit(builder, TRACE_NS(1200));
 *     trace_builder_save(builder, directory, NULL);                    // <directory>/100.trace
 *     trace_builder_free(builder);
 *
 * Tagged records go to the preamble until the first window begins, then to the newest window. The builder follows open
 * calls per thread and track: a new window of a thread gets its depth, open calls, lowest depth and `previous`, as the
 * recorder writes them; a full window is followed by another of the same thread. TIME records are written when due.
 * Everything can be changed afterwards through the pointers, to build what a recorder would never write.
 * Out of memory or misuse aborts the test.
 */
#ifndef TRACESHIM_TESTS_TRACE_BUILDER_H
#define TRACESHIM_TESTS_TRACE_BUILDER_H

#include "collector/trace_format.h"

#include <stddef.h>
#include <stdint.h>

/* Ticks of CLOCK_MONOTONIC nanoseconds in a trace whose clock_kind is TS_CLOCK_MONOTONIC (the default). */
#define TRACE_NS(ns) ((uint64_t)(ns) << 2)

struct trace_builder;

/* Arguments of an ENTER_WIDE or what a call filled, for a RESULT, word by word. All zero is empty. */
#define TRACE_VALUES_MOST 1024u
struct trace_values {
    uint32_t words[TRACE_VALUES_MOST];
    uint32_t count;
};
void trace_values_word(struct trace_values *values, uint32_t word);
void trace_values_long(struct trace_values *values, uint64_t number);
void trace_values_text(struct trace_values *values, const char *text);
/* `flags`: enum ts_argument_text */
void trace_values_bytes(struct trace_values *values, const void *bytes, uint32_t count, uint32_t flags);

struct trace_hook {
    uint64_t stub;
    uint64_t target;
    const char *name;
    const char *module;    /* path */
    const char *signature; /* NULL: none */
    const char *pack;      /* NULL: none */
    uint32_t flags;        /* enum ts_hook_flags */
};

/* Of a trace that asks for no other: holds the preamble of every test and makes small files. */
#define TRACE_BLOCK_BYTES 16384u

struct trace_builder *trace_builder_new(uint32_t pid); /* blocks of TRACE_BLOCK_BYTES */
/* `block_bytes`: TRACE_BLOCK_BYTES * power of two */
struct trace_builder *trace_builder_new_sized(uint32_t pid, uint64_t block_bytes);
void trace_builder_free(struct trace_builder *builder);

/* The whole file as it is now; valid until the next call. */
uint8_t *trace_builder_bytes(struct trace_builder *builder, size_t *bytes);
struct ts_file_header *trace_builder_header(struct trace_builder *builder); /* valid until the next call */

/* EXECUTABLE, COMMAND_LINE, PROCESS (number 1, at clock 0) and LOAD of an instrumented module [bias, bias + 1 MiB). */
void trace_builder_executable(struct trace_builder *builder, const char *path, uint64_t bias);

/* Begins a window in a new block; the window before it is closed. Valid until the next call. */
struct ts_window_header *trace_builder_window(struct trace_builder *builder, uint32_t thread, uint64_t clock);
/* The same for a thread of a forked child: `process` is its number, the pid is pid + process - 1. */
struct ts_window_header *trace_builder_window_of(struct trace_builder *builder, uint32_t process, uint32_t thread,
                                                 uint64_t clock);
/* The first window of a forked child: the open calls are those of `parent_thread`. */
struct ts_window_header *trace_builder_forked_window(struct trace_builder *builder, uint32_t process, uint32_t thread,
                                                     uint32_t parent_thread, uint64_t clock);
struct ts_window_header *trace_builder_control_window(struct trace_builder *builder, uint32_t process, uint64_t clock);
struct ts_window_header *trace_builder_newest_window(struct trace_builder *builder);
/* Sets CLOSED and end_*. The next window begins where the caller says. */
void trace_builder_close_window(struct trace_builder *builder, uint64_t clock);

/* Limit of open calls that a window header stores; the default is 1/8 of the window. */
void trace_builder_limit_open_calls(struct trace_builder *builder, uint32_t limit);

/*
 * From the next window on, headers and open calls have these sizes, as a newer version may write them: multiples of 8,
 * not below what this version has. What it would append is filled with 0xa5.
 */
void trace_builder_sizes(struct trace_builder *builder, uint16_t header_bytes, uint16_t open_call_bytes);

/* Records in the newest window. */
void trace_builder_enter(struct trace_builder *builder, uint64_t clock, uint64_t address);
void trace_builder_enter_wide(struct trace_builder *builder, uint64_t clock, uint64_t address);
void trace_builder_enter_values(struct trace_builder *builder, uint64_t clock, uint64_t address,
                                const struct trace_values *values);
void trace_builder_exit(struct trace_builder *builder, uint64_t clock);
void trace_builder_result(struct trace_builder *builder, uint64_t clock, uint32_t error, uint64_t value,
                          const struct trace_values *values);
void trace_builder_throw(struct trace_builder *builder, uint64_t clock);
void trace_builder_catch(struct trace_builder *builder, uint64_t clock);
/* Records as level 3 writes them; texts may be NULL. `type` THROW or CATCH. */
void trace_builder_exception(struct trace_builder *builder, uint32_t type, uint64_t clock, uint64_t site,
                             uint64_t header, uint32_t flags, const char *name, const char *message);
void trace_builder_jump(struct trace_builder *builder, uint64_t clock, uint64_t site, int32_t value);
/* `local` and `peer`: struct sockaddr, of 0 bytes for none */
void trace_builder_descriptor(struct trace_builder *builder, int32_t fd, const char *text, const void *local,
                              uint32_t local_bytes, const void *peer, uint32_t peer_bytes);
void trace_builder_unwind(struct trace_builder *builder, uint64_t clock, uint32_t count, uint32_t reason);
void trace_builder_switch(struct trace_builder *builder, uint64_t clock, uint32_t track);
void trace_builder_thread_end(struct trace_builder *builder, uint64_t clock);
void trace_builder_lost(struct trace_builder *builder, uint64_t clock, uint64_t count, uint32_t reason);
void trace_builder_time(struct trace_builder *builder, uint64_t clock);
void trace_builder_word(struct trace_builder *builder, uint32_t word); /* anything, as it is */

/* Records in the preamble or in the newest window, which should then be a control window. */
void trace_builder_process(struct trace_builder *builder, uint64_t clock, uint32_t pid, uint32_t parent_pid,
                           uint32_t process, uint32_t parent_process);
void trace_builder_process_end(struct trace_builder *builder, uint64_t clock, uint32_t process, uint32_t reason,
                               int32_t status);
void trace_builder_exec(struct trace_builder *builder, uint64_t clock, uint32_t thread, const char *path);
void trace_builder_thread_name(struct trace_builder *builder, uint64_t clock, uint64_t thread_pointer,
                               const char *name);
void trace_builder_load(struct trace_builder *builder, uint64_t clock, uint64_t bias, uint64_t low, uint64_t high,
                        uint32_t generation, uint32_t flags, const char *path);
void trace_builder_unload(struct trace_builder *builder, uint64_t clock, uint64_t low, uint32_t generation);
void trace_builder_metadata(struct trace_builder *builder, uint32_t key, const void *value, uint32_t value_bytes);
void trace_builder_hook(struct trace_builder *builder, uint64_t clock, const struct trace_hook *hook);
/* Any record: `record` of `bytes` (its head is filled in here), then `tail`, padded. */
void trace_builder_record(struct trace_builder *builder, uint32_t type, void *record, uint32_t bytes, const void *tail,
                          uint32_t tail_bytes);

/* For records that a test makes itself. */
void trace_builder_split(struct ts_u64 *to, uint64_t value);

/* The thread pointer that windows of this thread carry. */
uint64_t trace_builder_thread_pointer(uint32_t thread);

/* Writes <directory>/<name> (NULL: <pid>.trace). */
void trace_builder_save(struct trace_builder *builder, const char *directory, const char *name);

/* A fresh empty directory under the system's temporary directory, and its removal with everything in it. */
char *trace_builder_make_directory(void);
void trace_builder_remove_directory(char *directory); /* frees the name too */

#endif
