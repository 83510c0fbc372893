#include "preload/hooks.h"
#include "collector/clock.h"
#include "collector/control.h"
#include "collector/glob.h"
#include "collector/kept_memory.h"
#include "collector/placement.h"
#include "collector/preamble.h"
#include "collector/system.h"
#include "collector/text.h"
#include "collector/trace_format.h"
#include "preload/callers.h"
#include "preload/hook_window.h"
#include "preload/message.h"
#include "preload/module.h"
#include "preload/real.h"

#include <sys/mman.h>

/* Of the hash table: at first few, so that a start writes to few pages; at last twice the stubs. */
#define BUCKETS_FIRST 256u
#define BUCKETS_LAST (2u * TS_HOOK_STUBS)

TS_LARGE_TABLE struct ts_hook ts_hooks[TS_HOOK_STUBS];
int ts_hooks_overlap;
struct ts_hook_selection ts_hooks_selection;
struct ts_preamble *ts_hooks_preamble;

/* Changed under the scan's lock. */
TS_LARGE_TABLE static uint32_t buckets[BUCKETS_LAST]; /* by target: number + 1 */
static uint32_t bucket_count = BUCKETS_FIRST, buckets_used, gone;
static uint32_t tried;                       /* stubs in use for functions that are tried first */
static uint32_t bound = TS_HOOK_STUBS_TRIED; /* behind the last stub in use */
static uint32_t without;                     /* functions for which none was left */
static int is_on;

static void say_wrong(void *context, const char *entry, uint32_t bytes, const char *problem) {
    char line[512];
    struct ts_text text = TS_TEXT_IN(line);
    (void)context;
    ts_text_add(&text, "TRACE_HOOKS: ");
    ts_text_add_bytes(&text, entry, bytes);
    ts_text_add(&text, ": ");
    ts_message(line, problem, NULL);
}

void ts_hooks_begin(const char *selection) {
    const char *text = selection ? selection : TS_HOOKS_DEFAULT;
    uint64_t entries = ts_hook_selection_entries(text), bytes = entries * sizeof *ts_hooks_selection.rules;
    if (!entries)
        return;
    if (!(ts_hooks_selection.rules = ts_kept_memory(bytes)))
        return;
    ts_hooks_selection.capacity = (uint32_t)entries;
    ts_hook_selection_parse(&ts_hooks_selection, text, say_wrong, NULL);
    is_on = ts_hooks_selection.count > 0;
}

int ts_hooks_are_on(void) {
    return is_on;
}

/* FNV-1a of the symbol, from a beginning of the module's own: a path is kept once, so that its address tells it. */
static uint64_t identity_of(const char *symbol, const char *module_path) {
    uint64_t hash = UINT64_C(0xcbf29ce484222325) ^ (uint64_t)module_path;
    for (; *symbol; symbol++)
        hash = (hash ^ (uint8_t)*symbol) * UINT64_C(0x100000001b3);
    return hash;
}

/* The place of the hook with this target and identity, or where it is to be put. */
static uint32_t *bucket_of(uint64_t target, uint64_t identity) {
    uint32_t at = (uint32_t)((target * UINT64_C(0x9e3779b97f4a7c15)) >> 40) % bucket_count; /* Fibonacci hashing */
    while (buckets[at] &&
           (ts_hooks[buckets[at] - 1].target != target || ts_hooks[buckets[at] - 1].identity != identity))
        at = (at + 1) % bucket_count;
    return &buckets[at];
}

/* Places of hooks that have got another target stay taken until the table is filled anew. */
static void place(uint32_t number) {
    if (buckets_used >= bucket_count / 4 * 3) {
        for (uint32_t i = 0; i < bucket_count; i++)
            buckets[i] = 0;
        buckets_used = 0;
        bucket_count *= bucket_count < BUCKETS_LAST ? 2 : 1;
        for (uint32_t i = 0; i < bound; i++)
            if (i != number && ts_hooks[i].target)
                place(i);
    }
    uint32_t *bucket = bucket_of(ts_hooks[number].target, ts_hooks[number].identity);
    buckets_used += !*bucket;
    *bucket = number + 1;
}

/* HOOK: name, module, signature, pack. */
static void record(uint32_t number, const char *symbol, const char *module, const struct ts_hook_choice *choice) {
    TS_LARGE_TABLE static char strings[8192];
    struct ts_text text = TS_TEXT_IN(strings);
    uint64_t address = ts_hook_stub_address(number), clock = ts_clock_now(), target = ts_hooks[number].target;
    struct ts_record_hook hook = {
        .clock = {(uint32_t)clock, (uint32_t)(clock >> 32)},
        .address = {(uint32_t)address, (uint32_t)(address >> 32)},
        .target = {(uint32_t)target, (uint32_t)(target >> 32)},
        .flags = ts_hooks[number].behaviour & TS_HOOK_IS_ENTRY_ONLY ? TS_HOOK_ENTRY_ONLY : 0,
    };
    size_t before = 0;
    ts_text_add(&text, symbol);
    hook.name_bytes = (uint32_t)text.used;
    before = text.used;
    ts_text_add(&text, module);
    hook.module_bytes = (uint32_t)(text.used - before);
    before = text.used;
    if (choice->signature)
        ts_text_add_bytes(&text, choice->signature, choice->signature_bytes);
    hook.signature_bytes = (uint32_t)(text.used - before);
    before = text.used;
    if (choice->definition)
        ts_text_add(&text, ts_hook_packs[choice->definition->pack].name);
    hook.pack_bytes = (uint32_t)(text.used - before);
    if (ts_hooks_preamble)
        ts_preamble_add(ts_hooks_preamble, TS_RECORD_HOOK, &hook, sizeof hook, strings, (uint32_t)text.used, NULL, 0);
    else
        ts_control_write(TS_RECORD_HOOK, &hook, sizeof hook, strings, (uint32_t)text.used, NULL, 0);
}

static const struct ts_hook_signature *signature_of(const struct ts_hook_choice *choice) {
    struct ts_hook_signature parsed;
    const char *problem;
    size_t at;
    if (!choice->signature ||
        ts_hook_signature_parse(&parsed, choice->signature, choice->signature_bytes, &problem, &at))
        return NULL;
    struct ts_hook_signature *kept = ts_kept_memory(sizeof *kept);
    if (kept)
        *kept = parsed;
    return kept;
}

static int is_libc(const struct ts_module *module) {
    uint64_t inside = (uint64_t)ts_real_functions.clock_gettime;
    return inside - module->object.low < module->object.high - module->object.low;
}

static int is_of_pack(const struct ts_hook_choice *choice) {
    return choice->definition && choice->signature == ts_hook_definition_signature(choice->definition);
}

/*
 * Whether a signature is surely of this function: the user's, or that of a pack, whose names another library may have
 * given to functions with other parameters. Names like libc's are likely to be taken.
 */
static int is_believed(const struct ts_hook_choice *choice, const struct ts_module *owner) {
    return !is_of_pack(choice) || !ts_hook_packs[choice->definition->pack].is_of_libc || is_libc(owner);
}

/* A stub that waits for this function to come back, at whatever address. */
static uint32_t find_gone(uint64_t identity) {
    for (uint32_t i = 0; gone && i < bound; i++)
        if (ts_hooks[i].behaviour & TS_HOOK_IS_GONE && ts_hooks[i].identity == identity)
            return i;
    return TS_HOOK_STUBS;
}

/* The function of its own module that the signature names to be tried first. */
static ts_hook_try_function *try_of(const struct ts_hook_signature *signature, const struct ts_hook_choice *choice,
                                    const struct ts_module *owner, uint32_t *behaviour) {
    char name[128];
    struct ts_text text = TS_TEXT_IN(name);
    if (!signature || !signature->try_symbol_bytes || !owner->object.symbols)
        return NULL;
    ts_text_add_bytes(&text, choice->signature + signature->try_symbol, signature->try_symbol_bytes);
    *behaviour |= ts_text_equal(name, "pthread_mutex_trylock") ? TS_HOOK_TAKES_MUTEX : 0;
    return (ts_hook_try_function *)ts_elf_object_function(&owner->object, name, NULL);
}

/* The hook that has it or waits for it; TS_HOOK_STUBS: none. */
static uint32_t number_of(uint64_t target, uint64_t identity) {
    const uint32_t *bucket = bucket_of(target, identity);
    return *bucket ? *bucket - 1 : find_gone(identity);
}

/* A new one; TS_HOOK_STUBS: none is left. */
static uint32_t new_number(int is_tried_quickly) {
    if (is_tried_quickly && tried < TS_HOOK_STUBS_TRIED)
        return tried++;
    if (bound < TS_HOOK_STUBS)
        return bound++;
    without++;
    return TS_HOOK_STUBS;
}

/*
 * What is known of the function is set; where it is not yet. TS_HOOK_STUBS: no stub is left. Stubs that try first keep
 * no more registers than libc's own functions have arguments.
 */
static uint32_t new_hook(uint64_t identity, const struct ts_hook_choice *choice, const struct ts_module *owner) {
    const struct ts_hook_signature *signature = bound < TS_HOOK_STUBS ? signature_of(choice) : NULL;
    uint32_t number =
        new_number(signature && is_of_pack(choice) && is_libc(owner) && ts_hook_is_tried_quickly(signature));
    if (number == TS_HOOK_STUBS)
        return number;
    struct ts_hook *hook = &ts_hooks[number];
    hook->identity = identity;
    hook->signature = signature;
    hook->window = TS_HOOK_WINDOW_UNKNOWN;
    if (signature)
        ts_hook_steps_fill(&hook->steps, signature);
    if (signature && signature->options & TS_HOOK_NORETURN)
        hook->behaviour |= TS_HOOK_IS_ENTRY_ONLY;
    if (signature && signature->options & TS_HOOK_STACK && is_believed(choice, owner)) {
        hook->window = (signature->stack_bytes + 15) & ~15u; /* 0: all arguments fit into registers */
        hook->behaviour |= TS_HOOK_HAS_STACK;
    }
    if (ts_hooks_overlap || (signature && signature->records_arguments))
        hook->behaviour |= TS_HOOK_IS_WIDE;
    return number;
}

/* Its target is at this address now. */
static void aim(uint32_t number, uint64_t target) {
    if (ts_hooks[number].behaviour & TS_HOOK_IS_GONE) {
        ts_hooks[number].behaviour &= ~(uint32_t)TS_HOOK_IS_GONE;
        gone--;
    }
    __atomic_store_n(&ts_hooks[number].target, target, __ATOMIC_RELEASE);
    place(number);
}

uint64_t ts_hooks_stub(uint64_t target, const char *symbol, const struct ts_module *owner,
                       const struct ts_hook_choice *choice) {
    if (ts_hook_refusal(symbol))
        return 0;
    return ts_hooks_passed(target, symbol, owner, choice);
}

uint64_t ts_hooks_passed(uint64_t target, const char *symbol, const struct ts_module *owner,
                         const struct ts_hook_choice *choice) {
    uint64_t identity = identity_of(symbol, owner->path);
    const uint32_t *bucket = bucket_of(target, identity);
    if (*bucket && !(ts_hooks[*bucket - 1].behaviour & TS_HOOK_IS_GONE))
        return ts_hook_stub_address(*bucket - 1);
    uint32_t number = number_of(target, identity);
    if (number == TS_HOOK_STUBS)
        number = new_hook(identity, choice, owner);
    if (number == TS_HOOK_STUBS)
        return 0;
    struct ts_hook *hook = &ts_hooks[number];
    hook->try_first = try_of(hook->signature, choice, owner, &hook->behaviour);
    aim(number, target);
    record(number, symbol, owner->path, choice);
    return ts_hook_stub_address(number);
}

uint64_t ts_hooks_observer(uint64_t target, const char *symbol, const struct ts_module *owner,
                           const struct ts_hook_observer *observer) {
    uint64_t identity = identity_of(symbol, owner->path);
    uint32_t number = number_of(target, identity);
    if (number == TS_HOOK_STUBS)
        number = new_number(0);
    if (number == TS_HOOK_STUBS)
        return 0;
    ts_hooks[number].identity = identity;
    ts_hooks[number].observer = observer;
    if (observer->made)
        observer->made(owner);
    aim(number, target);
    return ts_hook_stub_address(number);
}

uint32_t ts_hooks_reserve(uint32_t count) {
    if (bound + count > TS_HOOK_STUBS)
        return TS_HOOK_STUBS;
    bound += count;
    return bound - count;
}

void ts_hooks_forget(uint64_t low, uint64_t high) {
    ts_callers_forget();
    for (uint32_t i = 0; i < bound; i++)
        if (ts_hooks[i].target - low < high - low && !(ts_hooks[i].behaviour & TS_HOOK_IS_GONE)) {
            ts_hooks[i].behaviour |= TS_HOOK_IS_GONE;
            gone++;
        }
}

uint32_t ts_hooks_without(void) {
    return without;
}

void ts_hooks_say_unmatched(void) {
    if (without)
        ts_message("TRACE_HOOKS selects more functions than there are stubs: some calls are not recorded; select fewer",
                   NULL, NULL);
    for (uint32_t i = 0; i < ts_hooks_selection.count; i++) {
        const struct ts_hook_rule *rule = &ts_hooks_selection.rules[i];
        char line[512];
        struct ts_text text = TS_TEXT_IN(line);
        if (rule->matches || rule->excludes || rule->is_implied || rule->pack >= 0)
            continue;
        ts_text_add(&text, "TRACE_HOOKS: nothing that is loaded calls ");
        ts_text_add_bytes(&text, rule->text, rule->text_bytes);
        const char *nearest = ts_hook_nearest(rule->text + rule->symbol, rule->symbol_bytes);
        if (nearest && !(ts_text_length(nearest) == rule->symbol_bytes &&
                         ts_glob_matches(rule->text + rule->symbol, rule->symbol_bytes, nearest))) {
            ts_text_add(&text, "; did you mean ");
            ts_text_add(&text, nearest);
            ts_text_add(&text, "?");
        }
        ts_message(line, NULL, NULL);
    }
}
