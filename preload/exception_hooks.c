#include "preload/exception_hooks.h"
#include "collector/clock.h"
#include "collector/recorder_hook.h"
#include "collector/recorder_pause.h"
#include "preload/callers.h"
#include "preload/exception_type.h"
#include "preload/hook_call.h"
#include "preload/hooks.h"
#include "preload/module.h"

/*
 * What lies before and behind an _Unwind_Exception (the header). Before it in C++, in libstdc++ and libc++abi alike,
 * the last fields of __cxa_exception; a dependent one, which std::rethrow_exception makes, begins with the object that
 * it stands for. (libstdc++: unwind-cxx.h; the sizes are part of its ABI.)
 */
#define HEADER_BYTES 32
#define TYPE_BEFORE 80
#define PRIMARY_BEFORE 80

/* exception_class: vendor and language, as text from the highest byte down. The last one tells a dependent exception.
 */
#define CLASS(text)                                                                                                    \
    ((uint64_t)(text)[0] << 56 | (uint64_t)(text)[1] << 48 | (uint64_t)(text)[2] << 40 | (uint64_t)(text)[3] << 32 |   \
     (uint64_t)(text)[4] << 24 | (uint64_t)(text)[5] << 16 | (uint64_t)(text)[6] << 8)
#define CLASS_GNU_CXX CLASS("GNUCC++")
#define CLASS_LLVM_CXX CLASS("CLNGC++")

static int detailed;

void ts_exception_hooks_detail(void) {
    detailed = 1;
}

int ts_exception_hooks_are_detailed(void) {
    return detailed;
}

/* __cxa_eh_globals (Itanium C++ ABI, exception handling, 2.2.2). */
struct globals {
    uint64_t caught; /* the exception that is handled now: its __cxa_exception */
    uint32_t uncaught;
};
typedef struct globals *get_globals_function(void);

#define RUNTIMES 8
static struct runtime {
    uint64_t low, high; /* high 0: none */
    get_globals_function *get_globals;
} runtimes[RUNTIMES]; /* written under the scan's lock, `high` last */

void ts_exception_runtime_known(const struct ts_module *module) {
    struct runtime *place = NULL;
    if (!detailed)
        return;
    for (unsigned i = 0; i < RUNTIMES; i++) {
        if (runtimes[i].high && runtimes[i].low == module->object.low)
            place = &runtimes[i];
        else if (!runtimes[i].high && !place)
            place = &runtimes[i];
    }
    if (!place)
        return;
    place->low = module->object.low;
    place->get_globals =
        (get_globals_function *)ts_elf_object_function(&module->object, "__cxa_get_globals_fast", NULL);
    __atomic_store_n(&place->high, module->object.high, __ATOMIC_RELEASE);
}

static const struct runtime *runtime_of(uint64_t address) {
    for (unsigned i = 0; i < RUNTIMES; i++) {
        uint64_t high = __atomic_load_n(&runtimes[i].high, __ATOMIC_ACQUIRE);
        if (high && address - runtimes[i].low < high - runtimes[i].low)
            return &runtimes[i];
    }
    return NULL;
}

/* The exception that was told of, on its way to the unwinder; 0: none. */
static __thread uint64_t told __attribute__((tls_model("initial-exec")));

struct detail {
    struct ts_record_exception_detail record;
    uint8_t text[TS_EXCEPTION_TYPE_MOST + TS_EXCEPTION_MESSAGE_MOST];
} __attribute__((aligned(4)));

static void begin(struct detail *detail, uint32_t type, uint64_t site, uint64_t header, uint32_t flags) {
    uint64_t clock = ts_clock_now();
    detail->record = (struct ts_record_exception_detail){
        .head = type,
        .clock = {(uint32_t)clock, (uint32_t)(clock >> 32)},
        .site = {(uint32_t)site, (uint32_t)(site >> 32)},
        .header = {(uint32_t)header, (uint32_t)(header >> 32)},
        .flags = flags,
    };
}

static uint32_t words_of(struct detail *detail) {
    uint32_t used = detail->record.type_bytes + detail->record.message_bytes;
    for (; used % 4; used++)
        detail->text[used] = 0;
    return (uint32_t)(sizeof detail->record + used) / 4;
}

static uint64_t clock_of(const struct detail *detail) {
    return (uint64_t)detail->record.clock.high << 32 | detail->record.clock.low;
}

/* The stack that throws or catches: no lock of a runtime is held here. */
static struct ts_recorder_place place_of(const struct ts_hook_frame *frame) {
    return ts_callers_place((uint64_t)frame->stack_arguments, frame->return_address, frame->pointer);
}

static void note(struct detail *detail, struct ts_recorder_place place) {
    ts_recorder_note_from(&detail->record.head, words_of(detail), place, clock_of(detail));
}

static void describe(struct detail *detail, uint64_t type, uint64_t object) {
    if (ts_exception_type_read(type, object, detail->text, &detail->record.type_bytes, &detail->record.message_bytes))
        detail->record.flags |= TS_EXCEPTION_TYPE_CUT;
}

/* A C++ exception, by its header: what it is, or what the exception is that it depends on. */
static void describe_header(struct detail *detail, uint64_t header, uint64_t class) {
    uint64_t object = header + HEADER_BYTES;
    if (class & 0xff) {
        object = ts_exception_word_read(header - PRIMARY_BEFORE);
        if (!object)
            return;
    }
    describe(detail, ts_exception_word_read(object - HEADER_BYTES - TYPE_BEFORE), object);
}

static int is_cxx(uint64_t class) {
    return (class & ~UINT64_C(0xff)) == CLASS_GNU_CXX || (class & ~UINT64_C(0xff)) == CLASS_LLVM_CXX;
}

static void note_plain(uint32_t type, uint64_t clock) {
    struct ts_record_exception record = {.head = type, .clock = {(uint32_t)clock, (uint32_t)(clock >> 32)}};
    ts_recorder_note(&record.head, sizeof record / 4, clock);
}

__attribute__((noinline)) static void thrown_in_detail(uint64_t object, uint64_t type,
                                                       const struct ts_hook_frame *frame) {
    struct ts_recorder_place place = place_of(frame);
    struct detail detail;
    begin(&detail, TS_RECORD_EXCEPTION_THROW, frame->return_address, object - HEADER_BYTES, 0);
    describe(&detail, type, object);
    note(&detail, place);
    told = object - HEADER_BYTES;
}

uint64_t ts_exception_thrown(const struct ts_hook_registers *registers, const struct ts_hook_frame *frame) {
    if (ts_recorder_pauses())
        told = registers->arguments[0] - HEADER_BYTES;
    else if (detailed)
        thrown_in_detail(registers->arguments[0], registers->arguments[1], frame);
    else if (ts_this_recorder)
        note_plain(TS_RECORD_EXCEPTION_THROW, ts_clock_now());
    return TS_HOOK_JUMP;
}

/* The header of the exception that this thread handles now; 0: not known. libc++abi has two more words before it. */
static uint64_t handled_header(uint64_t runtime_function) {
    const struct runtime *runtime = runtime_of(runtime_function);
    const struct globals *globals = runtime && runtime->get_globals ? runtime->get_globals() : NULL;
    if (!globals || !globals->caught)
        return 0;
    for (uint64_t header = globals->caught + TYPE_BEFORE; header <= globals->caught + TYPE_BEFORE + 16; header += 16)
        if (is_cxx(ts_exception_word_read(header)))
            return header;
    return 0;
}

__attribute__((noinline)) static void rethrown_in_detail(uint64_t target, const struct ts_hook_frame *frame) {
    struct ts_recorder_place place = place_of(frame);
    struct detail detail;
    uint64_t header = handled_header(target);
    begin(&detail, TS_RECORD_EXCEPTION_THROW, frame->return_address, header, TS_EXCEPTION_RETHROWN);
    if (header)
        describe_header(&detail, header, ts_exception_word_read(header));
    note(&detail, place);
    told = header;
}

uint64_t ts_exception_rethrown(const struct ts_hook_registers *registers, const struct ts_hook_frame *frame) {
    (void)registers;
    if (ts_recorder_pauses())
        told = 0;
    else if (detailed)
        rethrown_in_detail(ts_hooks[frame->number].target, frame);
    else if (ts_this_recorder)
        note_plain(TS_RECORD_EXCEPTION_THROW, ts_clock_now());
    return TS_HOOK_JUMP;
}

/* The catching function runs again: what lies below its stack pointer has been left by the exception. */
uint64_t ts_exception_caught(const struct ts_hook_registers *registers, const struct ts_hook_frame *frame) {
    uint64_t cfa = (uint64_t)frame->stack_arguments;
    told = 0;
    if (detailed) {
        struct ts_recorder_place place = place_of(frame);
        struct ts_record_exception_detail record;
        uint64_t clock = ts_clock_now();
        record = (struct ts_record_exception_detail){
            .head = TS_RECORD_EXCEPTION_CATCH,
            .clock = {(uint32_t)clock, (uint32_t)(clock >> 32)},
            .site = {(uint32_t)frame->return_address, (uint32_t)(frame->return_address >> 32)},
            .header = {(uint32_t)registers->arguments[0], (uint32_t)(registers->arguments[0] >> 32)}};
        ts_recorder_exception_caught(cfa, &record.head, sizeof record / 4, place, clock);
    } else if (ts_this_recorder) {
        uint64_t clock = ts_clock_now();
        struct ts_record_exception record = {.head = TS_RECORD_EXCEPTION_CATCH,
                                             .clock = {(uint32_t)clock, (uint32_t)(clock >> 32)}};
        ts_recorder_exception_caught(cfa, &record.head, sizeof record / 4, (struct ts_recorder_place){0, 0}, clock);
    }
    return TS_HOOK_JUMP;
}

/*
 * An exception of GNAT's: its occurrence, behind a header of its own size (System.Exceptions.Machine), tells the
 * exception's data, which has the name, and a message with its length (Ada.Exceptions, System.Standard_Library).
 */
#define ADA_IDENTITY_AT 64
#define ADA_NAME_IN_IDENTITY 8
#define ADA_MESSAGE_BYTES_AT 80
#define ADA_MESSAGE_AT 84

static uint32_t put(struct detail *detail, const char *text) {
    uint32_t bytes = 0;
    for (; text[bytes]; bytes++)
        detail->text[bytes] = (uint8_t)text[bytes];
    return bytes;
}

static void describe_ada(struct detail *detail, uint64_t header) {
    uint64_t identity = ts_exception_word_read(header + ADA_IDENTITY_AT);
    uint64_t name = identity ? ts_exception_word_read(identity + ADA_NAME_IN_IDENTITY) : 0;
    uint64_t bytes = ts_exception_word_read(header + ADA_MESSAGE_BYTES_AT) & UINT32_MAX;
    int cut;
    uint32_t used = name ? ts_exception_text_read(name, detail->text, TS_EXCEPTION_TYPE_MOST, &cut) : 0;
    detail->record.type_bytes = used ? used : put(detail, "Ada exception");
    if (used && bytes <= TS_EXCEPTION_MESSAGE_MOST)
        detail->record.message_bytes =
            ts_exception_text_read(header + ADA_MESSAGE_AT, detail->text + used, (uint32_t)bytes, &cut);
}

/* Rust writes its class as the bytes lie in memory. */
#define CLASS_RUST (CLASS("MOZ\0RUS") | 'T')

static void describe_foreign(struct detail *detail, uint64_t header, uint64_t class) {
    detail->record.flags |= TS_EXCEPTION_FOREIGN | TS_EXCEPTION_UNTRACKED;
    if (class == CLASS("GNU-Ada"))
        describe_ada(detail, header);
    else if (class == CLASS_RUST || class == __builtin_bswap64(CLASS_RUST))
        detail->record.type_bytes = put(detail, "Rust panic");
    else if (class == (CLASS("GNUCOBJ") | 'C'))
        detail->record.type_bytes = put(detail, "Objective-C exception");
    else
        detail->record.type_bytes = put(detail, "foreign exception");
}

__attribute__((noinline)) static void raised_in_detail(uint64_t header, const struct ts_hook_frame *frame) {
    struct ts_recorder_place place = place_of(frame);
    struct detail detail;
    uint64_t class = ts_exception_word_read(header), site = frame->return_address;
    begin(&detail, TS_RECORD_EXCEPTION_THROW, site, header, runtime_of(site) ? 0 : TS_EXCEPTION_UNTRACKED);
    if (is_cxx(class))
        describe_header(&detail, header, class);
    else
        describe_foreign(&detail, header, class);
    note(&detail, place);
}

/* It leads to _Unwind_RaiseException, in another object or not. */
uint64_t ts_exception_raised_again(const struct ts_hook_registers *registers, const struct ts_hook_frame *frame) {
    if (!ts_recorder_pauses() && told != registers->arguments[0])
        raised_in_detail(registers->arguments[0], frame);
    told = registers->arguments[0];
    return TS_HOOK_JUMP;
}

uint64_t ts_exception_raised(const struct ts_hook_registers *registers, const struct ts_hook_frame *frame) {
    if (!ts_recorder_pauses() && told != registers->arguments[0])
        raised_in_detail(registers->arguments[0], frame);
    told = 0;
    return TS_HOOK_JUMP;
}
