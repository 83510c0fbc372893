#include "preload/crash.h"
#include "collector/clock.h"
#include "collector/control.h"
#include "collector/process.h"
#include "collector/recorder_attach.h"
#include "collector/system.h"
#include "interrupted.h"
#include "preload/modules.h"
#include "preload/readable.h"

#define STACK_MOST 65536u
#define PAGE 4096u

static uint64_t stack[STACK_MOST / sizeof(uint64_t)];

static struct ts_u64 u64_of(uint64_t value) {
    return (struct ts_u64){(uint32_t)value, (uint32_t)(value >> 32)};
}

/* Bytes from `low` on that can be read, whole words, at most STACK_MOST. */
static uint32_t readable_bytes(uint64_t low) {
    struct ts_readable readable = {0};
    uint64_t at = low;
    if (low % sizeof(uint64_t))
        return 0;
    while (at - low < STACK_MOST && at >= low && ts_readable_byte(&readable, at))
        at = readable.high;
    if (at < low)
        return 0;
    return (uint32_t)(at - low < STACK_MOST ? at - low : STACK_MOST);
}

/* Only words that unwinding may need: what the program has in its buffers stays with it. */
static uint32_t copy_stack(uint64_t low) {
    uint32_t bytes = readable_bytes(low);
    const uint64_t *words = (const uint64_t *)low;
    uint32_t used = 0;
    for (uint32_t i = 0; i < bytes / sizeof *words; i++) {
        uint64_t word = *(const volatile uint64_t *)&words[i];
        int wanted = word - low < bytes || ts_modules_holds(word);
        stack[i] = wanted ? word : 0;
        if (wanted)
            used = (i + 1) * (uint32_t)sizeof *words;
    }
    return used;
}

void ts_crash_record(int signal, const siginfo_t *information, const void *context, int with_stack) {
    uint64_t registers[TS_INTERRUPTED_REGISTERS];
    uint64_t clock = ts_clock_now(), stack_pointer = ts_interrupted_stack_pointer(context);
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
        .stack_pointer = u64_of(stack_pointer),
        .register_bytes = sizeof registers,
        .stack_bytes = with_stack ? copy_stack(stack_pointer) : 0,
    };
    ts_control_write(TS_RECORD_CRASH, &record, sizeof record, registers, record.register_bytes, stack,
                     record.stack_bytes);
}
