#include "preload/crash.h"
#include "collector/clock.h"
#include "collector/control.h"
#include "collector/placement.h"
#include "collector/process.h"
#include "collector/recorder_attach.h"
#include "collector/system.h"
#include "interrupted.h"
#include "preload/modules.h"
#include "preload/readable.h"

#define STACK_MOST 65536u
#define PAGE 4096u

TS_LARGE_TABLE static uint64_t stack[STACK_MOST / sizeof(uint64_t)];

static struct ts_u64 u64_of(uint64_t value) {
    return (struct ts_u64){(uint32_t)value, (uint32_t)(value >> 32)};
}

/* A stack that is used up has its pointer below what can be read: by as much as one frame. */
#define FRAME_MOST (1u << 20)

/* Where the stack begins that can be read, at `pointer` or above; 0: nowhere near. */
static uint64_t readable_from(uint64_t pointer) {
    struct ts_readable readable = {0};
    uint64_t at = (pointer + sizeof(uint64_t) - 1) & ~(uint64_t)(sizeof(uint64_t) - 1);
    while (!ts_readable_byte(&readable, at)) {
        at = (at & ~(uint64_t)(PAGE - 1)) + PAGE;
        if (at - pointer > FRAME_MOST)
            return 0;
    }
    return at;
}

static uint32_t readable_bytes(uint64_t low) {
    struct ts_readable readable = {0};
    uint64_t at = low;
    while (at - low < STACK_MOST && ts_readable_byte(&readable, at))
        at = readable.high;
    return (uint32_t)(at - low < STACK_MOST ? at - low : STACK_MOST);
}

/* Only words that unwinding may need: what the program has in its buffers stays with it. Returns the bytes used. */
static uint32_t copy_stack(uint64_t low) {
    uint32_t bytes = low ? readable_bytes(low) : 0, used = 0;
    const volatile uint64_t *words = (const volatile uint64_t *)low;
    for (uint32_t i = 0; i < bytes / sizeof *words; i++) {
        uint64_t word = words[i];
        int wanted = word - low < bytes || ts_modules_holds(word);
        stack[i] = wanted ? word : 0;
        if (wanted)
            used = (i + 1) * (uint32_t)sizeof *words;
    }
    return used;
}

void ts_crash_record(int signal, const siginfo_t *information, const void *context, int with_stack) {
    uint64_t registers[TS_INTERRUPTED_REGISTERS];
    uint64_t clock = ts_clock_now();
    uint64_t low = with_stack ? readable_from(ts_interrupted_stack_pointer(context)) : 0;
    int from_kernel = information->si_code > 0;
    int is_fault = signal == SIGSEGV || signal == SIGBUS || signal == SIGFPE || signal == SIGILL || signal == SIGTRAP;
    ts_process_make_known(clock);
    ts_interrupted_registers(context, registers);
    struct ts_record_crash record = {
        .clock = u64_of(clock),
        .thread = ts_recorder_thread_number(),
        .tid = (uint32_t)ts_system_gettid(),
        .signal = (uint32_t)signal,
        .code = information->si_code,
        .address = u64_of(from_kernel && is_fault ? (uint64_t)information->si_addr : 0),
        .sender_pid = from_kernel ? 0 : (uint32_t)information->si_pid,
        .program_counter = u64_of(ts_interrupted_program_counter(context)),
        .stack_address = u64_of(low),
        .register_bytes = sizeof registers,
        .stack_bytes = copy_stack(low),
    };
    ts_control_write(TS_RECORD_CRASH, &record, sizeof record, registers, record.register_bytes, stack,
                     record.stack_bytes);
}
