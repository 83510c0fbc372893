/*
 * The trace file: the one contract between the recorder, which writes it by plain stores into a shared mapping, and the
 * renderer, which trusts nothing in it. Layouts, lists and asserts; no functions.
 *
 *   header area            ts_file_header, then the preamble (tagged records: process, modules, metadata), then one
 *                          uint32_t per block (windows being written there); padded to a multiple of block_bytes
 *   block, block, ...      each holds windows; a window is ts_window_header, its open calls, then records
 *
 * Everything is written in the byte order of the machine (byte_order tells) and addressed by file offset. The file is
 * sparse: its size is the budget, not its content. A reader must expect any part to be missing, zero or damaged.
 *
 * Windows. A window begins at a multiple of TS_WINDOW_ALIGN and its header names its own offset. Where the reader finds
 * no valid header it goes on at the next multiple of TS_WINDOW_STEP. `sequence` is stored last: zero means that the
 * header is not complete and nothing in it holds. The windows of one thread in order of sequence are its stream.
 * Each window decodes alone: it carries a clock pair and the innermost open calls.
 * Facts that other windows need (modules, processes, names) lie in the preamble and in control windows (`thread` 0), so
 * that a reader finds them without decoding calls and ring mode never drops them. A forked child starts with the
 * modules that its parent had at the time of its PROCESS record.
 *
 * Records are 4-byte words. The two low bits of a record's first word, its head, are the kind:
 *   0  a hole when the word is zero (skip one word: holes are normal, a signal handler may leave by siglongjmp between
 *      reserving and writing); otherwise PENDING: a record of `TS_HEAD_WORDS` words that was never completed (skip it)
 *   1  ENTER  [clock 30 | 1] [low 32 bits of the function's address]
 *   2  EXIT   [clock 30 | 2]                                        of the innermost open call
 *   3  a tagged record: bits 2-9 its type, bit 10 set when a reader that does not know the type must refuse the window,
 *      bits 12-31 its length in words, the head included; bit 11 and a PENDING's bits 2-11 are written 0 and ignored.
 *      Types that open or close calls carry that bit
 *
 * Clock. Clock values are 64-bit ticks; short records keep bits 2..31. The recorder writes a TIME record whenever bits
 * 30.. change, so a value runs ahead of the newest one seen in its window by less than 2^30 ticks; one that seems
 * further ahead lies in the past (a handler's records came between its stamp and its slot). With `newest` the largest
 * clock seen: d = (field - newest) mod 2^32; time = newest + d when d < 2^30 + slack, else newest - (2^32 - d).
 *
 * Span id, for formats that need one: a hash of file_uuid, process, thread, track and when the call began. All of that
 * is known from its ENTER and from an open call in any later window, and none of it depends on what else is shown.
 *
 * Evolution: structs grow at their end (header_bytes tells how much a writer had), records grow at their end, types are
 * appended and never renumbered. A reader skips unknown records, ignores unknown compatible features, and refuses a
 * newer major version or an unknown incompatible feature. Golden traces of every released version stay in tests/.
 */
#ifndef TRACESHIM_COLLECTOR_TRACE_FORMAT_H
#define TRACESHIM_COLLECTOR_TRACE_FORMAT_H

#include <assert.h>
#include <stddef.h>
#include <stdint.h>

#define TS_TRACE_MAGIC UINT64_C(0x4d49485345434152) /* "RACESHIM" */
#define TS_VERSION_MAJOR 1
#define TS_VERSION_MINOR 0
#define TS_BYTE_ORDER UINT32_C(0x01020304)

#define TS_WINDOW_MAGIC UINT64_C(0x776f646e69577354) /* "TsWindow" */
#define TS_WINDOW_ALIGN 64u
#define TS_WINDOW_STEP 4096u /* the smallest claim */

/* Incompatible features: a reader that does not know the bit must refuse the file. None so far. */
#define TS_INCOMPATIBLE_KNOWN UINT64_C(0)

enum ts_clock_kind {
    TS_CLOCK_TSC = 1,       /* x86 time stamp counter */
    TS_CLOCK_CNTVCT = 2,    /* aarch64 virtual counter, shifted left by 2 */
    TS_CLOCK_MONOTONIC = 3, /* CLOCK_MONOTONIC nanoseconds, shifted left by 2 */
};

/* One moment on three clocks. All zero: not taken. */
struct ts_clock_pair {
    uint64_t clock;        /* ticks */
    uint64_t monotonic_ns; /* CLOCK_MONOTONIC */
    uint64_t realtime_ns;  /* CLOCK_REALTIME */
};

enum ts_full_mode {
    TS_FULL_STOP = 0, /* the oldest stays: later events are lost and counted */
    TS_FULL_RING = 1, /* the newest stays: the oldest window is recycled and counted as dropped */
};

/* Why events were not written. Indexes of ts_file_header.lost_events and ts_window_header.lost_events. */
#define TS_LOST_REASONS(X)                                                                                             \
    X(FULL, "the trace was full")                                                                                      \
    X(PLACE, "the output place had no room")                                                                           \
    X(MEMORY, "no more memory could be mapped")                                                                        \
    X(HANDLER, "a signal handler interrupted the recorder's slow path")                                                \
    X(NO_SYSCALL, "system calls were forbidden and the reserve was used up")                                           \
    X(FOREIGN, "a task shared its maker's thread data (raw clone)")
enum ts_lost_reason {
#define X(name, text) TS_LOST_##name,
    TS_LOST_REASONS(X)
#undef X
        TS_LOST_REASON_COUNT
};
#define TS_LOST_SLOTS 8
static_assert(TS_LOST_REASON_COUNT <= TS_LOST_SLOTS, "lost_events has no slot for a reason");

/* How a process of the file ended, as far as the recorder saw it. 0: not seen (killed, or still running). */
enum ts_end_reason {
    TS_END_NOT_SEEN = 0,
    TS_END_EXIT = 1,       /* exit() or return from main; told inside the program, behind its destructors (finish.c) */
    TS_END_IMMEDIATE = 2,  /* _exit, _Exit */
    TS_END_QUICK_EXIT = 3, /* quick_exit */
    TS_END_ABORT = 4,
    TS_END_EXEC = 5,
    TS_END_SIGNAL = 6,
};

/*
 * At offset 0. The fields up to `first_block` and the preamble are written once, before the first event, by pwrite.
 * The shared part is changed by atomic operations of every process that maps the file.
 */
struct ts_file_header {
    uint64_t magic;
    uint16_t version_major;
    uint16_t version_minor;
    uint32_t byte_order;
    uint32_t header_bytes; /* sizeof(struct ts_file_header) of the writer */
    uint32_t page_bytes;
    uint16_t machine; /* ELF e_machine */
    uint16_t full_mode;
    uint32_t clock_kind;
    uint64_t compatible_features;
    uint64_t incompatible_features;
    uint8_t file_uuid[16];
    uint8_t boot_id[16];
    uint8_t trace_id[16];
    uint8_t parent_span_id[8];
    uint64_t pid_namespace; /* inode of /proc/self/ns/pid, 0 when not readable */
    uint64_t file_bytes;    /* the budget; the file's apparent size */
    uint64_t block_bytes;   /* power of two; every ring window has this size */
    uint64_t block_count;   /* of the whole file, header area included */
    uint64_t first_block;   /* blocks before it are the header area */
    uint64_t preamble_offset;
    uint64_t preamble_bytes;
    uint64_t block_table_offset;
    uint64_t tick_hz; /* the clock's rate as the kernel or processor states it; 0: unknown, use the clock pairs */
    uint32_t pid;     /* of the process that made the file */
    uint32_t image;   /* 1 for the first exec image of this pid, then 2, ... */
    struct ts_clock_pair start;

    /* Shared and changing. */
    struct ts_clock_pair end; /* when the process that made the file ended */
    uint32_t end_reason;      /* enum ts_end_reason */
    int32_t end_status;
    uint64_t next_block;      /* next block that was never claimed */
    uint64_t small_claim;     /* offset of the next small window inside a shared block; 0: none */
    uint64_t ring_next;       /* next block to try when the file is full (ring) */
    uint64_t window_sequence; /* last sequence given out */
    uint32_t process_count;   /* last process number given out; the process that made the file is 1 */
    uint32_t thread_count;    /* last thread number given out */
    uint64_t lost_events[TS_LOST_SLOTS];
    uint64_t lost_first_clock;
    uint64_t lost_last_clock;
    uint64_t dropped_windows; /* recycled in ring mode */
    uint64_t dropped_bytes;   /* of records in them */
    uint64_t dropped_calls;   /* ENTER records in them */
    uint64_t dropped_first_clock;
    uint64_t dropped_last_clock;
    uint64_t misnested;     /* exits without a call (an exit hook whose entry was not seen) */
    uint64_t usable_blocks; /* blocks before this one hold windows; below block_count when the place ran out of room */
    uint64_t control_claim; /* as small_claim, for control windows: blocks that are never recycled */
    uint64_t suspended_ns;  /* CLOCK_BOOTTIME minus CLOCK_MONOTONIC at the start */
    uint64_t reserved[10];
};
static_assert(sizeof(struct ts_file_header) == 512, "ts_file_header: append, never move");
static_assert(offsetof(struct ts_file_header, start) == 184, "ts_file_header.start moved");
static_assert(offsetof(struct ts_file_header, lost_events) == 280, "ts_file_header.lost_events moved");

enum ts_window_flags {
    TS_WINDOW_FIRST_OF_PROCESS = 1, /* open calls are those inherited by fork */
    TS_WINDOW_CLOSED = 2,           /* end_* hold; the thread has gone on elsewhere or ended */
    TS_WINDOW_CONTROL = 4,          /* facts of the process, written by all its threads; never recycled */
    TS_WINDOW_PAUSED = 8,           /* closed since recording paused, at end_clock: its thread has gone on unrecorded */
};

struct ts_window_header {
    uint64_t sequence; /* stored last; 0: not complete */
    uint64_t magic;
    uint64_t offset;       /* its own file offset */
    uint32_t bytes;        /* from offset to the end of the window */
    uint16_t flags;        /* enum ts_window_flags */
    uint16_t header_bytes; /* sizeof(struct ts_window_header) of the writer; the open calls follow it */
    uint32_t pid;
    uint32_t tid;
    uint32_t process;       /* number in this file, from 1; unique where pid is not */
    uint32_t thread;        /* number in this file, from 1; unique where tid is not */
    uint64_t process_start; /* clock when the process was first seen */
    uint32_t track;         /* 0: the thread's own stack; others: stacks it switched to */
    uint32_t open_count;    /* open calls stored behind the header, the innermost last */
    uint64_t clock;
    uint64_t monotonic_ns;
    uint64_t thread_pointer;
    uint64_t depth; /* open calls of this track when the window began; the outer depth - open_count are not here */
    uint64_t lowest_depth; /* calls of those that were open all the time since the previous window began */
    uint64_t previous;     /* sequence of the thread's previous window, 0: none */
    uint32_t records;      /* offset of the first record from the window's start */
    uint32_t end_bytes;    /* offset of the end of the records; 0 while the window is written */
    uint64_t end_clock;
    uint64_t end_depth;   /* open calls when it was closed */
    uint64_t other_words; /* words in it that are neither ENTER nor EXIT */
    uint64_t unwound;     /* calls closed by UNWIND records in it */
    uint64_t lost_events[TS_LOST_SLOTS];
    uint64_t lost_first_clock;
    uint64_t lost_last_clock;
    uint32_t parent_process;     /* number in this file of the process that forked this one; 0: not in this file */
    uint32_t parent_pid;         /* 0: not known */
    uint16_t process_end_reason; /* enum ts_end_reason: the process ended in this window's thread */
    uint16_t open_call_bytes;    /* sizeof(struct ts_open_call) of the writer */
    int32_t process_end_status;
    uint64_t process_end_clock;
};
static_assert(sizeof(struct ts_window_header) == 256, "ts_window_header: append, never move");
static_assert(offsetof(struct ts_window_header, clock) == 64, "ts_window_header.clock moved");

/* An open call at the start of a window. */
struct ts_open_call {
    uint64_t address; /* of the function, all bits */
    uint64_t clock;   /* when it was entered */
    uint32_t site;    /* low half of its return address */
    uint32_t kind;    /* 0: an instrumented function */
};
static_assert(sizeof(struct ts_open_call) == 24, "ts_open_call: append, never move");

enum ts_kind { TS_KIND_PENDING = 0, TS_KIND_ENTER = 1, TS_KIND_EXIT = 2, TS_KIND_TAGGED = 3 };

#define TS_ENTER_BYTES 8u
#define TS_EXIT_BYTES 4u
#define TS_CLOCK_FIELD UINT32_C(0xfffffffc)
#define TS_EPOCH_SHIFT 30 /* a TIME record whenever clock >> TS_EPOCH_SHIFT changes */

#define TS_HEAD_MUST_KNOW UINT32_C(0x400)
#define TS_HEAD_MAX_WORDS UINT32_C(0xfffff)
#define TS_HEAD(type, words) ((uint32_t)(words) << 12 | (uint32_t)(type) << 2 | TS_KIND_TAGGED)
#define TS_HEAD_PENDING(words) ((uint32_t)(words) << 12)
#define TS_HEAD_TYPE(head) ((head) >> 2 & 0xff)
#define TS_HEAD_WORDS(head) ((head) >> 12)

#include "collector/trace_records.h"

#endif
