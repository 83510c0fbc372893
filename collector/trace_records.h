/* The tagged records of a trace file: their types and layouts. Part of collector/trace_format.h, which includes it. */
#ifndef TRACESHIM_COLLECTOR_TRACE_RECORDS_H
#define TRACESHIM_COLLECTOR_TRACE_RECORDS_H

#include <assert.h>
#include <stddef.h>
#include <stdint.h>

/*
 * Tagged records, by type. Append; never renumber. TIME, THREAD_CREATE, THREAD_END, SWITCH, UNWIND, LOST, ENTER_WIDE,
 * RESULT, CALL_SITE, STACK, FRAME, EXCEPTION_*, DESCRIPTOR, JUMP and, behind TIME, CLOCK_PAIR stand in the windows of
 * their thread, RESUME there and in control windows, the others that are written today in the preamble and in control
 * windows. Those marked "reserved" have their number now and their layout when they are first written. A record whose
 * struct is named below is that struct, then its bytes, padded to a word.
 */
#define TS_RECORDS(X)                                                                                                  \
    X(TIME, 1, "the full clock; the next records are after it")                                                        \
    X(PROCESS, 2, "a process begins in this file")                                                                     \
    X(PROCESS_END, 3, "a process ends")                                                                                \
    X(FORK, 4, "a child was made")                                                                                     \
    X(EXEC, 5, "the process is about to execute another image")                                                        \
    X(THREAD_CREATE, 6, "what made this thread")                                                                       \
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
    X(CALL_SITE, 21, "where the call just before was made")                                                            \
    X(STACK, 22, "the callers of the call, throw, catch or jump just before")                                          \
    X(LINE_COUNTS, 23, "how often the basic blocks of a piece of code were executed")                                  \
    X(BRANCH_COUNTS, 24, "how often each case of a switch was taken")                                                  \
    X(EXCEPTION_THROW, 25, "an exception is on its way: calls open here that end before its CATCH were left by it")    \
    X(EXCEPTION_CATCH, 26, "the newest exception on its way has arrived")                                              \
    X(SIGNAL_BEGIN, 27, "not used: a signal's handler is a hooked call (TS_HOOK_HANDLES_SIGNALS)")                     \
    X(SIGNAL_END, 28, "not used")                                                                                      \
    X(CRASH, 29, "a signal that ends the process: registers and raw stack")                                            \
    X(JUMP, 30, "longjmp is called: calls that it leaves are unwound next")                                            \
    X(SPAN_BEGIN, 31, "reserved: a span of the program's own")                                                         \
    X(SPAN_END, 32, "reserved")                                                                                        \
    X(EVENT, 33, "reserved: a moment with a message")                                                                  \
    X(COUNTER, 34, "reserved: a named value at a moment")                                                              \
    X(ASYNC_BEGIN, 35, "reserved")                                                                                     \
    X(ASYNC_END, 36, "reserved")                                                                                       \
    X(FLOW, 37, "reserved: this call continues in another")                                                            \
    X(LABEL, 38, "reserved: a label for a function")                                                                   \
    X(PAUSE, 39, "recording of the process pauses")                                                                    \
    X(RESUME, 40, "it goes on; in a thread's window, first: what came since the one before was not recorded")          \
    X(RESET, 41, "reserved: what came before does not count")                                                          \
    X(DESCRIPTOR, 42, "what a file descriptor refers to, for the rest of this window")                                 \
    X(SLOTS, 43, "how many calls of a module lead to the recorder")                                                    \
    X(SPAWN, 48, "a child was made that executes another image")                                                       \
    X(FRAME, 49, "names a caller for STACK records, for the rest of this window")                                      \
    X(COMPARES, 52, "what a comparison compared, with counts")

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

struct ts_record_fork { /* by the parent, after the fork returned there; the clock is of its call */
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

struct ts_record_spawn { /* by the parent: when it called; or by its vfork child before the exec, which may fail */
    uint32_t head;
    struct ts_u64 clock;
    uint32_t child_pid;
    uint32_t thread; /* that made it: its number in this file, 0 when it has recorded nothing yet */
    uint32_t path_bytes;
    /* path */
};
static_assert(sizeof(struct ts_record_spawn) == 24, "record layout");

/* In the first window of a thread that a recorded one made by pthread_create or thrd_create: before its calls. */
struct ts_record_thread_create {
    uint32_t head;
    struct ts_u64 clock; /* when its maker called that */
    uint32_t thread;     /* its maker: number in this file */
};
static_assert(sizeof(struct ts_record_thread_create) == 16, "record layout");

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

/*
 * In control windows, when the process that made the file ends or unloads the module; none for a module without such
 * slots. A slot is a pointer of the module that calls go through.
 */
struct ts_record_slots {
    uint32_t head;
    uint32_t generation; /* of the module's LOAD */
    uint32_t patched;    /* that lead to the recorder */
    uint32_t left;       /* that hold the address of a function that is hooked elsewhere, and were left as they are */
    uint32_t refused;    /* that could not be written; those behind the first were not tried */
};
static_assert(sizeof(struct ts_record_slots) == 20, "record layout");

/*
 * Metadata keys. Values are bytes; COMMAND_LINE is NUL-separated, OPTION is NAME=value as given, numbers are decimal.
 * UNSEEN, once for each of them: what was to be recorded and was not, and why, for people.
 */
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
    X(EVENT_COST_NS, 12, "cost of one event in ns, in thousandths")                                                    \
    X(CPU_TIME_NS, 13, "CPU time of the process in ns, of all its threads, up to its end")                             \
    X(HOOK_COST_NS, 14, "cost of one hooked call in ns, in thousandths")                                               \
    X(UNSEEN, 15, "not recorded")                                                                                      \
    X(START_CPU_NS, 16, "CPU time of starting in ns")                                                                  \
    X(CALLERS, 18, "caller stacks")

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
 * PAUSE and RESUME in control windows, in turn by their clocks; in the preamble for a process that begins paused. The
 * first of a forked child is a RESUME where it was paused when it was made. A RESUME in a thread's window has the clock
 * of that.
 */
struct ts_record_pause {
    uint32_t head;
    struct ts_u64 clock;
};
static_assert(sizeof(struct ts_record_pause) == 12, "record layout");

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
    TS_HOOK_ENTRY_ONLY = 1,      /* a call that does not return: its EXIT says nothing about its duration */
    TS_HOOK_HANDLES_SIGNALS = 2, /* `target` handles signals; an ENTER_WIDE's arguments are a ts_signal_arguments */
};

/* A signal as its handler was told of it: siginfo_t. One whose words are fewer came without. */
struct ts_signal_arguments {
    uint32_t signal;
    int32_t code;          /* si_code: above 0, the kernel sent it */
    uint32_t sender_pid;   /* of one that a process sent; else 0 */
    struct ts_u64 address; /* of a fault; else 0 */
};
static_assert(sizeof(struct ts_signal_arguments) == 20, "record layout");

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

enum ts_exception_flags {
    TS_EXCEPTION_RETHROWN = 1,
    TS_EXCEPTION_FOREIGN = 2,   /* of another language: the type is for people, not a mangled name */
    TS_EXCEPTION_UNTRACKED = 4, /* its CATCH will not be seen: an event, no more */
    TS_EXCEPTION_TYPE_CUT = 8,  /* the name was longer */
};

/* From level 3 on the same records say more. */
struct ts_record_exception_detail {
    uint32_t head;
    struct ts_u64 clock;
    struct ts_u64 site;   /* return address of the call that throws or catches */
    struct ts_u64 header; /* its _Unwind_Exception: tells the exceptions of a thread apart while they live; may be 0 */
    uint32_t flags;       /* enum ts_exception_flags */
    uint32_t type_bytes;  /* std::type_info::name(), of a THROW; 0: not known */
    uint32_t message_bytes; /* what it says, as far as that can be read without calling it; 0: nothing */
    /* type; message: one after the other */
};
static_assert(sizeof(struct ts_record_exception_detail) == 40, "record layout");

struct ts_record_jump {
    uint32_t head;
    struct ts_u64 clock;
    struct ts_u64 site; /* return address of the call of longjmp */
    int32_t value;      /* that setjmp is to return */
};
static_assert(sizeof(struct ts_record_jump) == 24, "record layout");
/*
 * A signal whose default is to end the process has come, and the program has no handler for it. Written to a control
 * window when it arrives; whether the process ended by it, its end tells. What follows the struct: the registers by
 * their DWARF numbers, 64 bits each; then `stack_bytes` of the stack, as 64-bit words of which only those that point
 * into a module or into this part of the stack are kept: the others are 0.
 */
struct ts_record_crash {
    uint32_t head;
    struct ts_u64 clock;
    uint32_t thread; /* that it came to: its number in this file, 0 when it has recorded nothing */
    uint32_t tid;
    uint32_t signal;
    int32_t code;          /* si_code: above 0, the kernel sent it */
    struct ts_u64 address; /* of a fault (si_addr); else 0 */
    uint32_t sender_pid;   /* of a signal that a process sent; else 0 */
    struct ts_u64 program_counter;
    struct ts_u64 stack_address; /* of the part that is here: the stack pointer, or the first page above it that can be
                                    read */
    uint32_t register_bytes;
    uint32_t stack_bytes;
    /* registers; stack */
};
static_assert(sizeof(struct ts_record_crash) == 64, "record layout");

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

/*
 * Counts of executed code stand in control windows and grow as long as their process runs (collector/counts.h): a
 * process may have several records of one piece of code or one place, whose counts add up. `clock` is when the record
 * was made: the module was then mapped.
 */

/*
 * Counter n is of the callbacks that return to an address in [address + (n << code_shift), + (1 << code_shift)); there
 * is one. Each stands for the basic block that it begins.
 */
struct ts_record_line_counts {
    uint32_t head;
    struct ts_u64 clock;
    struct ts_u64 address;
    uint32_t code_shift;
    uint32_t count_shift; /* a counter counts in units of 1 << count_shift */
    uint32_t unused;      /* 0 */
    /* counters, 4 bytes each */
};
static_assert(sizeof(struct ts_record_line_counts) == 32, "record layout");

struct ts_record_branch_counts { /* of a switch: -fsanitize-coverage=trace-cmp */
    uint32_t head;
    struct ts_u64 clock;
    struct ts_u64 address; /* that its callback returns to */
    uint32_t cases;
    /* values of the cases, 8 bytes each; then a counter of 8 bytes for each of them, and one for the default */
};
static_assert(sizeof(struct ts_record_branch_counts) == 24, "record layout");

struct ts_compared {
    struct ts_u64 left;
    struct ts_u64 right;
    struct ts_u64 count; /* 0: not used */
};
static_assert(sizeof(struct ts_compared) == 24, "record layout");

struct ts_record_compares {
    uint32_t head;
    struct ts_u64 clock;
    struct ts_u64 address; /* that its callback returns to */
    uint32_t bytes;        /* of an operand */
    uint32_t is_float;
    uint32_t pairs;       /* different pairs that are kept */
    struct ts_u64 others; /* comparisons of pairs that were not kept */
    /* pairs: struct ts_compared */
};
static_assert(sizeof(struct ts_record_compares) == 40, "record layout");

/*
 * From level 2 on, directly behind the ENTER or ENTER_WIDE of the call that it tells of: one of the two. Anything else
 * behind a call says that nothing is known of its callers. From level 3 on a STACK also stands directly behind an
 * EXCEPTION_THROW, EXCEPTION_CATCH or JUMP, of the function that throws, catches or jumps.
 */
struct ts_record_call_site {
    uint32_t head;
    uint32_t address; /* low half of the address that the call returns to */
};
static_assert(sizeof(struct ts_record_call_site) == 8, "record layout");

struct ts_record_stack {
    uint32_t head;
    uint32_t frame; /* the caller: number of a FRAME that stands before in this window */
};
static_assert(sizeof(struct ts_record_stack) == 8, "record layout");

/* Of ts_record_frame.outer, below the numbers of frames: what lies around a frame that has no FRAME around it. */
enum ts_frame_outer {
    TS_FRAME_NOTHING = 0, /* it is the first of its stack: where the process or the thread began */
    TS_FRAME_CALL = 1,    /* it is the innermost open call's own */
    TS_FRAME_UNKNOWN = 2, /* its caller is not known */
    TS_FRAME_SIGNAL = 3,  /* it is the kernel's, made for a signal handler to return to */
    TS_FRAME_NUMBERS = 4, /* the first number of a frame */
};
/* Numbers of frames are below this. */
#define TS_FRAME_NUMBERS_END 65536u

/*
 * A frame of a stack. A number means the newest FRAME of the window that has it. Two frames of one function with the
 * same `outer` are one call of it, or calls that followed each other.
 */
struct ts_record_frame {
    uint32_t head;
    uint32_t frame;
    uint32_t outer;        /* number of its caller's FRAME, or enum ts_frame_outer */
    struct ts_u64 address; /* in its function: where the call that it makes returns to */
};
static_assert(sizeof(struct ts_record_frame) == 20, "record layout");

struct ts_record_clock_pair {
    uint32_t head;
    struct ts_u64 clock;
    struct ts_u64 monotonic_ns;
    struct ts_u64 realtime_ns;
};
static_assert(sizeof(struct ts_record_clock_pair) == 28, "record layout");

#endif
