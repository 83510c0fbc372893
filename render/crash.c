#include "render/crash.h"

#include "render/crash_unwind.h"
#include "render/flag_names.h"
#include "render/memory.h"
#include "render/record.h"
#include "render/stack_text.h"
#include "render/symbols.h"
#include "render/text_escape.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

void ts_crash_read(struct ts_crash *crash, uint32_t process, const uint32_t *words, uint32_t count) {
    struct ts_record_crash record;
    memcpy(&record, words, sizeof record);
    size_t room = count * sizeof *words - sizeof record;
    size_t registers = record.register_bytes < room ? record.register_bytes : room;
    room -= registers;
    size_t stack = record.stack_bytes < room ? record.stack_bytes : room;
    const uint8_t *bytes = (const uint8_t *)words + sizeof record;
    *crash = (struct ts_crash){
        .process = process,
        .thread = record.thread,
        .tid = record.tid,
        .signal = record.signal,
        .code = record.code,
        .sender_pid = record.sender_pid,
        .clock = ts_record_u64(record.clock),
        .address = ts_record_u64(record.address),
        .program_counter = ts_record_u64(record.program_counter),
        .stack_address = ts_record_u64(record.stack_address),
        .register_count = registers / sizeof(uint64_t),
        .stack_bytes = stack,
    };
    crash->registers = ts_memory_new(crash->register_count + 1, sizeof(uint64_t));
    memcpy(crash->registers, bytes, crash->register_count * sizeof(uint64_t));
    crash->stack = ts_memory_new(stack + 1, 1);
    memcpy(crash->stack, bytes + registers, stack);
}

void ts_crash_free(struct ts_crash *crash) {
    free(crash->registers);
    free(crash->stack);
    free(crash->frames);
}

/* Our own code between a hooked function and its caller. */
static bool is_recorder(const struct ts_crash_frame *frame) {
    return frame->function->object && frame->function->object->is_recorder;
}

/* Where the C library begins threads and programs: callers of these say nothing. */
static bool is_start(const char *name) {
    return !strcmp(name, "start_thread") || !strcmp(name, "clone") || !strcmp(name, "clone3") ||
           !strcmp(name, "__clone") || !strcmp(name, "__clone3") || !strncmp(name, "__libc_start_", 13) ||
           !strcmp(name, "_start");
}

static void add_frame(struct ts_crash *crash, const struct ts_module_map *modules, struct ts_functions *functions,
                      uint64_t address) {
    const struct ts_module *module = ts_module_map_find(modules, address, 0, crash->clock, NULL);
    struct ts_crash_frame *frame = &crash->frames[crash->frame_count++];
    struct ts_source source;
    frame->function =
        ts_functions_intern(functions, module ? module->object : NULL, module ? address - module->bias : address);
    if (ts_function_line(frame->function, &source) == 0) {
        const char *slash = strrchr(source.file, '/');
        frame->file = slash ? slash + 1 : source.file;
        frame->line = source.line;
    }
}

void ts_crash_resolve(struct ts_crash *crash, uint16_t machine, const struct ts_module_map *modules,
                      struct ts_functions *functions) {
    uint64_t addresses[TS_CRASH_FRAMES_MOST];
    if (crash->resolved)
        return;
    crash->resolved = true;
    size_t count = ts_crash_unwind(crash, machine, modules, addresses, TS_CRASH_FRAMES_MOST);
    crash->frames_cut = true;
    crash->frames = ts_memory_new(count + 1, sizeof *crash->frames);
    for (size_t i = 0; i < count; i++) {
        add_frame(crash, modules, functions, addresses[i]);
        const char *name = ts_function_name(crash->frames[crash->frame_count - 1].function);
        bool is_last = !strcmp(name, "main") || (i && is_start(name));

        if (crash->frame_count > 1 && (is_start(name) || is_recorder(&crash->frames[crash->frame_count - 1])))
            crash->frame_count--;
        if (is_last) {
            crash->frames_cut = false;
            break;
        }
    }
}

struct ts_object *ts_crash_object(const struct ts_crash *crash) {
    for (size_t i = 0; i < crash->frame_count; i++)
        if (crash->frames[i].function->object)
            return crash->frames[i].function->object;
    return NULL;
}

static const struct {
    uint32_t signal; /* 0: any */
    int32_t code;
    const char *name;
} codes[] = {
    /* uapi/asm-generic/siginfo.h */
    {0, 0x80, "SI_KERNEL"},  {0, 0, "SI_USER"},       {0, -1, "SI_QUEUE"},
    {0, -2, "SI_TIMER"},     {0, -3, "SI_MESGQ"},     {0, -4, "SI_ASYNCIO"},
    {0, -5, "SI_SIGIO"},     {0, -6, "SI_TKILL"},     {4, 1, "ILL_ILLOPC"},
    {4, 2, "ILL_ILLOPN"},    {4, 3, "ILL_ILLADR"},    {4, 4, "ILL_ILLTRP"},
    {4, 5, "ILL_PRVOPC"},    {4, 6, "ILL_PRVREG"},    {4, 7, "ILL_COPROC"},
    {4, 8, "ILL_BADSTK"},    {5, 1, "TRAP_BRKPT"},    {5, 2, "TRAP_TRACE"},
    {5, 3, "TRAP_BRANCH"},   {5, 4, "TRAP_HWBKPT"},   {7, 1, "BUS_ADRALN"},
    {7, 2, "BUS_ADRERR"},    {7, 3, "BUS_OBJERR"},    {7, 4, "BUS_MCEERR_AR"},
    {7, 5, "BUS_MCEERR_AO"}, {8, 1, "FPE_INTDIV"},    {8, 2, "FPE_INTOVF"},
    {8, 3, "FPE_FLTDIV"},    {8, 4, "FPE_FLTOVF"},    {8, 5, "FPE_FLTUND"},
    {8, 6, "FPE_FLTRES"},    {8, 7, "FPE_FLTINV"},    {8, 8, "FPE_FLTSUB"},
    {11, 1, "SEGV_MAPERR"},  {11, 2, "SEGV_ACCERR"},  {11, 3, "SEGV_BNDERR"},
    {11, 4, "SEGV_PKUERR"},  {11, 8, "SEGV_MTEAERR"}, {11, 9, "SEGV_MTESERR"},
    {11, 10, "SEGV_CPERR"},  {31, 1, "SYS_SECCOMP"},  {31, 2, "SYS_USER_DISPATCH"},
};

const char *ts_crash_code_name(uint32_t signal, int32_t code) {
    for (size_t i = 0; i < sizeof codes / sizeof *codes; i++)
        if (codes[i].code == code && (!codes[i].signal || codes[i].signal == signal))
            return codes[i].name;
    return NULL;
}

/* The kernel gives an address with these only, unless it does not know (SI_KERNEL). */
static bool has_address(const struct ts_crash *crash) {
    return crash->code > 0 && crash->code != 0x80 &&
           (crash->signal == 4 || crash->signal == 7 || crash->signal == 8 || crash->signal == 11);
}

char *ts_crash_stack_text(const struct ts_crash *crash) {
    struct ts_stack_text stack = {.used = 0};
    bool more = true;
    for (size_t i = 0; i < crash->frame_count && more; i++) {
        const struct ts_crash_frame *frame = &crash->frames[i];
        char at[TS_STACK_TEXT_BYTES];
        if (frame->file)
            snprintf(at, sizeof at, "%s:%" PRIu32, frame->file, frame->line);
        more = ts_stack_text_add(&stack, frame->function, frame->file ? at : NULL);
    }
    ts_stack_text_end(&stack, crash->frames_cut && crash->frame_count);
    return ts_memory_copy(stack.text, stack.used);
}

void ts_crash_write(const struct ts_crash *crash, FILE *out) {
    char name[TS_FLAG_NAMES_BYTES];
    const char *code = ts_crash_code_name(crash->signal, crash->code);
    char *stack = ts_crash_stack_text(crash);
    ts_flag_signal(name, crash->signal);
    fputs(name, out);
    if (code)
        fprintf(out, " (%s)", code);
    else
        fprintf(out, " (code %" PRId32 ")", crash->code);
    if (has_address(crash))
        fprintf(out, " at address 0x%" PRIx64, crash->address);
    if (crash->sender_pid)
        fprintf(out, " from process %" PRIu32, crash->sender_pid);
    if (*stack) {
        fputs(", in ", out);
        ts_text_write_name(out, stack);
    }
    free(stack);
}

size_t ts_crash_attributes(const struct ts_crash *crash, struct ts_attribute *attributes,
                           struct ts_crash_texts *texts) {
    size_t count = 0;
    const char *code = ts_crash_code_name(crash->signal, crash->code);
    if (code)
        attributes[count++] = (struct ts_attribute){"code", {.kind = TS_VALUE_WORD, .string = code}};
    if (has_address(crash)) {
        snprintf(texts->address, sizeof texts->address, "0x%" PRIx64, crash->address);
        attributes[count++] = (struct ts_attribute){"address", {.kind = TS_VALUE_WORD, .string = texts->address}};
    }
    if (crash->sender_pid)
        attributes[count++] = (struct ts_attribute){"sender", {.kind = TS_VALUE_INTEGER, .integer = crash->sender_pid}};
    texts->stack = ts_crash_stack_text(crash);
    if (*texts->stack)
        attributes[count++] = (struct ts_attribute){"stack", {.kind = TS_VALUE_STRING, .string = texts->stack}};
    return count;
}
