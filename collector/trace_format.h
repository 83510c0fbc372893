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
 * Span id, for formats that need one: a hash of file_uuid, thread, track, depth and the clock of the call's ENTER,
 * whose two low bits count as 0. All of that is known from the record and from an open call in any later window.
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
    X(MEMORY, "no memory for a thread's recorder")                                                                     \
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
    TS_END_EXIT = 1,       /* exit() or return from main, after every destructor */
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
    uint64_t reserved[11];
};
static_assert(sizeof(struct ts_file_header) == 512, "ts_file_header: append, never move");
static_assert(offsetof(struct ts_file_header, start) == 184, "ts_file_header.start moved");
static_assert(offsetof(struct ts_file_header, lost_events) == 280, "ts_file_header.lost_events moved");

enum ts_window_flags {
    TS_WINDOW_FIRST_OF_PROCESS = 1, /* open calls are those inherited by fork */
    TS_WINDOW_CLOSED = 2,           /* end_* hold; the thread has gone on elsewhere or ended */
    TS_WINDOW_CONTROL = 4,          /* facts of the process, written by all its threads; never recycled */
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

/*
 * Tagged records, by type. Append; never renumber. TIME, THREAD_END, SWITCH, UNWIND, LOST, ENTER_WIDE, RESULT,
 * EXCEPTION_* and DESCRIPTOR stand in the windows of their thread, the others that are written today in the preamble
 * and in control windows. Those marked "reserved" have their number now and their layout when they are first written. A
 * record whose struct is named below is that struct, then its bytes, padded to a word.
 */
#define TS_RECORDS(X)                                                                                                  \
    X(TIME, 1, "the full clock; the next records are after it")                                                        \
    X(PROCESS, 2, "a process begins in this file")                                                                     \
    X(PROCESS_END, 3, "a process ends")                                                                                \
    X(FORK, 4, "a child was made")                                                                                     \
    X(EXEC, 5, "the process is about to execute another image")                                                        \
    X(THREAD_CREATE, 6, "reserved: a thread was made by this thread")                                                  \
    X(THREAD_NAME, 7, "a thread's name")                                                                               \
    X(THREAD_END, 8, "this thread ends")                                                                               \
    X(LOAD, 9, "a module was mapped")                                                                                  \
    X(UNLOAD, 10, "a module was unmapped")                                                                             \
    X(METADATA, 11, "one fact about the process, by key")                                                              \
    X(SWITCH, 12, "the thread runs on another stack")                                                                  \
    X(UNWIND, 13, "the innermost open calls, spans and signals ended without their exit")                              \
    X(LOST, 14, "events before this record were not written")                                                          \
    X(ENTER_WIDE, 15, "a call whose address needs all its bits, or with arguments")                                    \
    X(CLOCK_PAIR, 16, "one moment on all clocks")                                                                      \
    X(STRING, 17, "reserved: interns a string")                                                                        \
    X(HOOK, 18, "names a hooked function: stub address, name, module, signature")                                      \
    X(ATTRIBUTE, 19, "reserved: a value on the innermost call")                                                        \
    X(RESULT, 20, "the innermost open call ends, with its result")                                                     \
    X(CALL_SITE, 21, "reserved: where the innermost call was made")                                                    \
    X(STACK, 22, "reserved: callers known from a captured stack")                                                      \
    X(LINE_COUNTS, 23, "reserved: executed lines with counts")                                                         \
    X(BRANCH_COUNTS, 24, "reserved: edges taken with counts")                                                          \
    X(EXCEPTION_THROW, 25, "an exception is on its way: calls open here that end before its CATCH were left by it")    \
    X(EXCEPTION_CATCH, 26, "the newest exception on its way has arrived")                                              \
    X(SIGNAL_BEGIN, 27, "reserved")                                                                                    \
    X(SIGNAL_END, 28, "reserved")                                                                                      \
    X(CRASH, 29, "reserved: a fatal signal: registers and raw stack")                                                  \
    X(JUMP, 30, "reserved: longjmp")                                                                                   \
    X(SPAN_BEGIN, 31, "reserved: a span of the program's own")                                                         \
    X(SPAN_END, 32, "reserved")                                                                                        \
    X(EVENT, 33, "reserved: a moment with a message")                                                                  \
    X(COUNTER, 34, "reserved: a named value at a moment")                                                              \
    X(ASYNC_BEGIN, 35, "reserved")                                                                                     \
    X(ASYNC_END, 36, "reserved")                                                                                       \
    X(FLOW, 37, "reserved: this call continues in another")                                                            \
    X(LABEL, 38, "reserved: a label for a function")                                                                   \
    X(PAUSE, 39, "reserved: recording pauses")                                                                         \
    X(RESUME, 40, "reserved: recording goes on")                                                                       \
    X(RESET, 41, "reserved: what came before does not count")                                                          \
    X(DESCRIPTOR, 42, "what a file descriptor refers to, for the rest of this window")

enum ts_record_type {
#define X(name, number, text) TS_RECORD_##name = number,
    TS_RECORDS(X)
#undef X
};

/* 64-bit fields inside records are only 4-byte aligned. */
struct ts_u64 {
    uint32_t low;
    uint32_t high;
};

struct ts_record_time {
    uint32_t head;
    struct ts_u64 clock;
};
static_assert(sizeof(struct ts_record_time) == 12, "record layout");

/*
 * In the preamble for the process that made the file. A forked child is known by its windows' headers
 * (TS_WINDOW_FIRST_OF_PROCESS and parent_process), and by this record when it writes control records.
 */
struct ts_record_process {
    uint32_t head;
    struct ts_u64 clock;
    uint32_t pid;
    uint32_t parent_pid;
    uint32_t process;        /* number in this file */
    uint32_t parent_process; /* number in this file; 0: not in this file */
};
static_assert(sizeof(struct ts_record_process) == 28, "record layout");

struct ts_record_process_end {
    uint32_t head;
    struct ts_u64 clock;
    uint32_t process;
    uint32_t reason; /* enum ts_end_reason */
    int32_t status;
};
static_assert(sizeof(struct ts_record_process_end) == 24, "record layout");

struct ts_record_fork { /* by the parent, after the fork returned there */
    uint32_t head;
    struct ts_u64 clock;
    uint32_t child_pid;
    uint32_t thread; /* that forked: its number in this file, 0 when it has recorded nothing yet */
};
static_assert(sizeof(struct ts_record_fork) == 20, "record layout");

struct ts_record_exec {
    uint32_t head;
    struct ts_u64 clock;
    uint32_t thread; /* that calls exec; when it records anything later, the exec failed */
    uint32_t path_bytes;
    /* path */
};
static_assert(sizeof(struct ts_record_exec) == 20, "record layout");

struct ts_record_thread_create {
    uint32_t head;
    struct ts_u64 clock;
    struct ts_u64 thread_pointer; /* of the new thread */
    uint32_t thread;              /* that made it: its number in this file, 0 when it has recorded nothing yet */
};
static_assert(sizeof(struct ts_record_thread_create) == 24, "record layout");

struct ts_record_thread_name {
    uint32_t head;
    struct ts_u64 clock;
    struct ts_u64 thread_pointer; /* of the thread that is named */
    uint32_t name_bytes;
    /* name */
};
static_assert(sizeof(struct ts_record_thread_name) == 24, "record layout");

struct ts_record_thread_end {
    uint32_t head;
    struct ts_u64 clock;
};
static_assert(sizeof(struct ts_record_thread_end) == 12, "record layout");

enum ts_load_flags {
    TS_LOAD_EXECUTABLE = 1,   /* the program itself */
    TS_LOAD_WIDE = 2,         /* overlaps another module modulo 2^32: its calls are ENTER_WIDE */
    TS_LOAD_INSTRUMENTED = 4, /* its calls are recorded (-finstrument-functions) */
    TS_LOAD_VDSO = 8,
};

struct ts_record_load {
    uint32_t head;
    struct ts_u64 clock;
    struct ts_u64 bias; /* run-time address = bias + address in the ELF file */
    struct ts_u64 low;  /* of its mapped segments */
    struct ts_u64 high;
    uint32_t generation; /* grows by one with each LOAD of the process */
    uint32_t flags;
    uint32_t build_id_bytes;
    uint32_t path_bytes;
    /* build id, padded to a word; path */
};
static_assert(sizeof(struct ts_record_load) == 52, "record layout");

struct ts_record_unload {
    uint32_t head;
    struct ts_u64 clock;
    struct ts_u64 low;
    uint32_t generation; /* of its LOAD */
};
static_assert(sizeof(struct ts_record_unload) == 24, "record layout");

/* Metadata keys. Values are bytes; COMMAND_LINE is NUL-separated, OPTION is NAME=value as given. */
#define TS_METADATA(X)                                                                                                 \
    X(COMMAND_LINE, 1, "command line")                                                                                 \
    X(EXECUTABLE, 2, "executable")                                                                                     \
    X(WORKING_DIRECTORY, 3, "working directory")                                                                       \
    X(HOST, 4, "host")                                                                                                 \
    X(SHIM_VERSION, 5, "traceshim version")                                                                            \
    X(OPTION, 6, "option")                                                                                             \
    X(NOTE, 7, "note")                                                                                                 \
    X(LEVEL, 8, "level")                                                                                               \
    X(RANK, 9, "mpi rank")                                                                                             \
    X(SIZE, 10, "mpi size")                                                                                            \
    X(START_COST_NS, 11, "start-up cost in ns")                                                                        \
    X(EVENT_COST_NS, 12, "cost of one event in ns, in thousandths")

enum ts_metadata_key {
#define X(name, number, text) TS_METADATA_##name = number,
    TS_METADATA(X)
#undef X
};

struct ts_record_metadata {
    uint32_t head;
    uint32_t key;
    uint32_t value_bytes;
    /* value */
};
static_assert(sizeof(struct ts_record_metadata) == 12, "record layout");

enum ts_switch_kind { TS_SWITCH_THREAD_STACK = 0, TS_SWITCH_CONTEXT = 1 };

struct ts_record_switch {
    uint32_t head;
    struct ts_u64 clock;
    uint32_t track;
    uint32_t kind;       /* enum ts_switch_kind of the stack that now runs */
    struct ts_u64 depth; /* calls open on that track */
};
static_assert(sizeof(struct ts_record_switch) == 28, "record layout");

enum ts_unwind_reason { TS_UNWIND_UNKNOWN = 0, TS_UNWIND_EXCEPTION = 1, TS_UNWIND_JUMP = 2, TS_UNWIND_THREAD_END = 3 };

struct ts_record_unwind {
    uint32_t head;
    struct ts_u64 clock;
    uint32_t count;
    uint32_t reason; /* enum ts_unwind_reason */
};
static_assert(sizeof(struct ts_record_unwind) == 20, "record layout");

struct ts_record_lost {
    uint32_t head;
    struct ts_u64 clock;
    struct ts_u64 count;
    uint32_t reason; /* enum ts_lost_reason */
};
static_assert(sizeof(struct ts_record_lost) == 24, "record layout");

/*
 * The address is that of a function or, for a hooked call, of the stub that a HOOK record names. What follows the
 * struct are the call's arguments, as the HOOK's signature says (collector/hook_signature.h).
 */
struct ts_record_enter_wide {
    uint32_t head;
    struct ts_u64 clock;
    struct ts_u64 address;
    /* arguments */
};
static_assert(sizeof(struct ts_record_enter_wide) == 20, "record layout");

/* Of ts_record_result.error: set when the call failed; the low half is its errno, 0 where that says nothing. */
#define TS_RESULT_FAILED UINT32_C(0x80000000)
#define TS_RESULT_ERRNO UINT32_C(0xffff)

struct ts_record_result { /* an EXIT, as a tagged record */
    uint32_t head;
    struct ts_u64 clock;
    uint32_t error; /* 0: the call has not failed */
    struct ts_u64 value;
    /* arguments that the call filled, as the signature says */
};
static_assert(sizeof(struct ts_record_result) == 24, "record layout");

enum ts_hook_flags {
    TS_HOOK_ENTRY_ONLY = 1, /* a call that does not return: its EXIT says nothing about its duration */
};

/*
 * In control windows, before the first call: functions are known by the address of their stub, which has the name of
 * this record from its clock on (a stub is reused for the same function of a library that was loaded again).
 */
struct ts_record_hook {
    uint32_t head;
    struct ts_u64 clock;
    struct ts_u64 address; /* of the stub: as in ENTER */
    struct ts_u64 target;  /* the function's own address at that time */
    uint32_t flags;        /* enum ts_hook_flags */
    uint32_t name_bytes;
    uint32_t module_bytes;    /* path of the object that defines it */
    uint32_t signature_bytes; /* "(...)=...", may be none */
    uint32_t pack_bytes;      /* may be none */
    /* name; module; signature; pack: one after the other, padded at the end */
};
static_assert(sizeof(struct ts_record_hook) == 48, "record layout");

struct ts_record_exception { /* EXCEPTION_THROW, EXCEPTION_CATCH */
    uint32_t head;
    struct ts_u64 clock;
};
static_assert(sizeof(struct ts_record_exception) == 12, "record layout");

/* A file descriptor as the kernel describes it: path, "socket:[1234]", "pipe:[1234]", "anon_inode:[eventfd]". */
struct ts_record_descriptor {
    uint32_t head;
    int32_t fd;
    uint32_t text_bytes;
    uint32_t local_bytes; /* a socket's address */
    uint32_t peer_bytes;  /* and whom it is connected to: struct sockaddr */
    /* text, local, peer: each padded to a word */
};
static_assert(sizeof(struct ts_record_descriptor) == 20, "record layout");

struct ts_record_clock_pair {
    uint32_t head;
    struct ts_u64 clock;
    struct ts_u64 monotonic_ns;
    struct ts_u64 realtime_ns;
};
static_assert(sizeof(struct ts_record_clock_pair) == 28, "record layout");

#endif
