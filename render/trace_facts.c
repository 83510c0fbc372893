#include "render/trace_facts.h"
#include "render/memory.h"
#include "render/record.h"
#include "render/thread_names.h"
#include "render/trace_threads.h"

#include <stdlib.h>
#include <string.h>

/* The kernel's have 15 bytes; a child's thread inherits its name, and so may thousands. */
#define THREAD_NAME_MOST 255u

struct reading {
    struct ts_trace *trace;
    struct ts_facts *facts;
    struct ts_functions *functions;
    struct ts_thread_names *names;
    size_t metadata_capacity;
    size_t slots_capacity;
    size_t spawn_capacity;
    size_t pause_capacity;
    size_t origin_capacity;
    size_t crash_capacity;
};

typedef void take_record(struct reading *reading, uint32_t process, const uint32_t *record, uint32_t words);

struct ts_process_facts *ts_facts_process(const struct ts_facts *facts, uint32_t number) {
    size_t low = 0;
    size_t high = facts->process_count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (facts->processes[middle].number == number)
            return &facts->processes[middle];
        if (facts->processes[middle].number < number)
            low = middle + 1;
        else
            high = middle;
    }
    return NULL;
}

/* The bytes behind a record's struct, as far as the record has them; with a NUL behind. */
static char *copy_tail(const uint32_t *record, uint32_t words, size_t offset, uint32_t bytes) {
    size_t room = words * sizeof(uint32_t);
    if (offset > room)
        return ts_memory_copy("", 0);
    return ts_memory_copy((const char *)record + offset, bytes < room - offset ? bytes : room - offset);
}

static void take_process(struct reading *reading, const struct ts_record_process *record) {
    struct ts_process_facts *process = ts_facts_process(reading->facts, record->process);
    if (!process)
        return;
    process->pid = record->pid;
    process->parent_pid = record->parent_pid;
    if (ts_record_u64(record->clock))
        process->start_clock = ts_record_u64(record->clock);
    const struct ts_process_facts *parent = ts_facts_process(reading->facts, record->parent_process);
    if (parent && parent->number < process->number) {
        process->parent_number = parent->number;
        ts_module_map_inherit(process->modules, parent->modules, process->start_clock);
    }
}

static void take_load(struct reading *reading, struct ts_process_facts *process, const uint32_t *words,
                      uint32_t word_count) {
    struct ts_record_load record;
    memcpy(&record, words, sizeof(record));
    size_t room = word_count * sizeof(uint32_t) - sizeof(record);
    uint64_t id_room = ((uint64_t)record.build_id_bytes + 3) & ~UINT64_C(3);
    if (record.build_id_bytes > sizeof(((struct ts_object *)0)->build_id) || id_room > room) {
        reading->trace->damaged_windows++;
        return;
    }
    const uint8_t *build_id = (const uint8_t *)words + sizeof(record);
    char *path = copy_tail(words, word_count, sizeof(record) + (size_t)id_room, record.path_bytes);
    struct ts_module module = {
        .low = ts_record_u64(record.low),
        .high = ts_record_u64(record.high),
        .bias = ts_record_u64(record.bias),
        .load_clock = ts_record_u64(record.clock),
        .generation = record.generation,
        .flags = record.flags,
        .object = ts_functions_object(reading->functions, path, build_id, record.build_id_bytes),
    };
    module.object->is_loaded = true;
    ts_module_map_load(process->modules, &module);
    free(path);
}

static void take_metadata(struct reading *reading, struct ts_process_facts *process, const uint32_t *words,
                          uint32_t word_count) {
    struct ts_facts *facts = reading->facts;
    const struct ts_record_metadata *record = (const void *)words;
    facts->metadata = ts_memory_grow(facts->metadata, &reading->metadata_capacity, facts->metadata_count + 1,
                                     sizeof(*facts->metadata));
    uint32_t room = word_count * (uint32_t)sizeof(uint32_t) - (uint32_t)sizeof(*record);
    uint32_t bytes = record->value_bytes < room ? record->value_bytes : room;
    facts->metadata[facts->metadata_count++] =
        (struct ts_metadata){process->number, record->key, bytes, copy_tail(words, word_count, sizeof(*record), bytes)};
    if (record->key < TS_METADATA_KEYS && !process->metadata[record->key])
        process->metadata[record->key] = facts->metadata_count;
}

static void take_slots(struct reading *reading, uint32_t process, const struct ts_record_slots *record) {
    struct ts_facts *facts = reading->facts;
    facts->slots =
        ts_memory_grow(facts->slots, &reading->slots_capacity, facts->slots_count + 1, sizeof(*facts->slots));
    facts->slots[facts->slots_count++] =
        (struct ts_slots_facts){process, record->generation, record->patched, record->left, record->refused};
}

static void take_end(struct reading *reading, const struct ts_record_process_end *record) {
    struct ts_process_facts *process = ts_facts_process(reading->facts, record->process);
    if (!process)
        return;
    process->ended = 1;
    process->last_clock = ts_record_u64(record->clock);
    process->end_reason = record->reason;
    process->end_status = record->status;
}

/* Finding the names of one's stack takes milliseconds; no program has so many. */
#define CRASHES_MOST 512u

static void take_crash(struct reading *reading, uint32_t number, const uint32_t *record, uint32_t words) {
    struct ts_facts *facts = reading->facts;
    if (facts->crash_count == CRASHES_MOST)
        return;
    facts->crashes =
        ts_memory_grow(facts->crashes, &reading->crash_capacity, facts->crash_count + 1, sizeof(*facts->crashes));
    ts_crash_read(&facts->crashes[facts->crash_count++], number, record, words);
}

static void take_fact(struct reading *reading, uint32_t number, const uint32_t *record, uint32_t words) {
    struct ts_process_facts *process = ts_facts_process(reading->facts, number);
    struct ts_facts *facts = reading->facts;
    ts_origins_take(&facts->origins, &facts->origin_count, &reading->origin_capacity, number, record);
    ts_pauses_take(&facts->pauses, &facts->pause_count, &reading->pause_capacity, number, record);
    switch (TS_HEAD_TYPE(*record)) {
    case TS_RECORD_PROCESS:
        take_process(reading, (const void *)record);
        break;
    case TS_RECORD_PROCESS_END:
        take_end(reading, (const void *)record);
        break;
    case TS_RECORD_EXEC: {
        const struct ts_record_exec *exec = (const void *)record;
        process->exec_clock = ts_record_u64(exec->clock);
        free(process->exec_path);
        process->exec_path = copy_tail(record, words, sizeof(*exec), exec->path_bytes);
        break;
    }
    case TS_RECORD_SPAWN: {
        const struct ts_record_spawn *spawn = (const void *)record;
        facts->spawns =
            ts_memory_grow(facts->spawns, &reading->spawn_capacity, facts->spawn_count + 1, sizeof(*facts->spawns));
        facts->spawns[facts->spawn_count++] =
            (struct ts_spawn_facts){number, spawn->child_pid, ts_record_u64(spawn->clock),
                                    copy_tail(record, words, sizeof(*spawn), spawn->path_bytes)};
        break;
    }
    case TS_RECORD_THREAD_NAME: {
        const struct ts_record_thread_name *name = (const void *)record;
        uint32_t bytes = name->name_bytes < THREAD_NAME_MOST ? name->name_bytes : THREAD_NAME_MOST;
        ts_thread_names_add(reading->names, number, ts_record_u64(name->thread_pointer), ts_record_u64(name->clock),
                            copy_tail(record, words, sizeof(*name), bytes));
        break;
    }
    case TS_RECORD_LOAD:
        take_load(reading, process, record, words);
        break;
    case TS_RECORD_UNLOAD: {
        const struct ts_record_unload *unload = (const void *)record;
        ts_module_map_unload(process->modules, unload->generation, ts_record_u64(unload->low),
                             ts_record_u64(unload->clock));
        break;
    }
    case TS_RECORD_SLOTS:
        take_slots(reading, number, (const void *)record);
        break;
    case TS_RECORD_METADATA:
        take_metadata(reading, process, record, words);
        break;
    case TS_RECORD_LINE_COUNTS:
        reading->facts->counts_code = 1;
        break;
    case TS_RECORD_CRASH:
        take_crash(reading, number, record, words);
        break;
    case TS_RECORD_CLOCK_PAIR: {
        const struct ts_record_clock_pair *pair = (const void *)record;
        process->realtime_offset_ns = (int64_t)(ts_record_u64(pair->realtime_ns) - ts_record_u64(pair->monotonic_ns));
        break;
    }
    default:
        break;
    }
}

/* A string of `bytes` at *offset of the record, which moves behind it. */
static char *next_text(const uint32_t *record, uint32_t words, size_t *offset, uint32_t bytes) {
    char *text = copy_tail(record, words, *offset, bytes);
    *offset += bytes;
    return text;
}

/*
 * The object that a hook's path means: the module that its target lies in, where that has the same file name (paths of
 * one file may differ); else one of that path alone, without addresses.
 */
static struct ts_object *hooked_object(struct reading *reading, const struct ts_process_facts *process,
                                       const struct ts_record_hook *record, const char *path, uint64_t *address) {
    if (record->flags & TS_HOOK_HANDLES_SIGNALS) { /* the run-time address: modules come and go, and their handlers */
        *address = ts_record_u64(record->target);
        return NULL;
    }
    const struct ts_module *module =
        ts_module_map_find(process->modules, ts_record_u64(record->target), 0, ts_record_u64(record->clock), NULL);
    const char *slash = strrchr(path, '/');
    *address = 0;
    if (!module || strcmp(module->object->scope, slash ? slash + 1 : path) != 0)
        return ts_functions_object(reading->functions, path, NULL, 0);
    *address = ts_record_u64(record->target) - module->bias;
    return module->object;
}

static void take_hook(struct reading *reading, uint32_t number, const uint32_t *words, uint32_t word_count) {
    if (TS_HEAD_TYPE(*words) != TS_RECORD_HOOK)
        return;
    struct ts_record_hook record;
    memcpy(&record, words, sizeof(record));
    struct ts_process_facts *process = ts_facts_process(reading->facts, number);
    size_t offset = sizeof(record);
    char *name = next_text(words, word_count, &offset, record.name_bytes);
    char *path = next_text(words, word_count, &offset, record.module_bytes);
    char *signature = next_text(words, word_count, &offset, record.signature_bytes);
    char *pack = next_text(words, word_count, &offset, record.pack_bytes);
    if (*name) {
        uint64_t address;
        struct ts_object *object = hooked_object(reading, process, &record, path, &address);
        struct ts_function *function =
            ts_functions_intern_hooked(reading->functions, object, address, name, signature, pack, record.flags);
        ts_hook_map_add(process->hooks, ts_record_u64(record.address), ts_record_u64(record.clock), function);
    }
    free(name);
    free(path);
    free(signature);
    free(pack);
}

/* Hands every tagged record in [at, end) to `take`. Damage and unknown records that must be understood end it. */
static void walk(struct reading *reading, uint32_t process, const uint32_t *at, const uint32_t *end,
                 take_record *take) {
    uint32_t words;
    while ((at = ts_record_skip_holes(at, end)) < end) {
        switch (ts_record_at(at, end, &words)) {
        case TS_WORD_DAMAGED:
            reading->trace->damaged_windows++;
            return;
        case TS_WORD_TAGGED:
            if (!ts_record_name(TS_HEAD_TYPE(*at)) && *at & TS_HEAD_MUST_KNOW) {
                reading->facts->refused_type = TS_HEAD_TYPE(*at);
                reading->trace->damaged_windows++;
                return;
            }
            take(reading, process, at, words);
            break;
        default:
            break;
        }
        at += words;
    }
}

static void walk_all(struct reading *reading, take_record *take) {
    struct ts_trace *trace = reading->trace;
    uint64_t damaged = trace->damaged_windows;
    if (trace->preamble) {
        const uint32_t *words = (const void *)trace->preamble;
        walk(reading, 1, words, words + trace->header.preamble_bytes / sizeof(uint32_t), take);
    }
    struct ts_window_copy copy = {0};
    for (size_t i = 0; i < trace->window_count; i++) {
        if (trace->windows[i].thread != 0)
            continue;
        int result = ts_trace_read_window(trace, &trace->windows[i], &copy);
        if (result < 0)
            trace->damaged_windows++;
        else if (result == 0)
            walk(reading, trace->windows[i].process, copy.records, copy.end, take);
    }
    ts_window_copy_free(&copy);
    if (take != take_fact) /* the other walk counts */
        trace->damaged_windows = damaged;
}

struct numbers {
    struct reading reading; /* first: what walk_all hands on */
    uint32_t *numbers;
    size_t count;
    size_t capacity;
};

static void add_number(struct numbers *numbers, uint32_t number) {
    numbers->numbers =
        ts_memory_grow(numbers->numbers, &numbers->capacity, numbers->count + 1, sizeof(*numbers->numbers));
    numbers->numbers[numbers->count++] = number;
}

static void take_number(struct reading *reading, uint32_t process, const uint32_t *record, uint32_t words) {
    (void)process;
    (void)words;
    if (TS_HEAD_TYPE(*record) != TS_RECORD_PROCESS)
        return;
    uint32_t number = ((const struct ts_record_process *)(const void *)record)->process;
    if (number)
        add_number((struct numbers *)(void *)reading, number);
}

static int compare_numbers(const void *left, const void *right) {
    uint32_t a = *(const uint32_t *)left;
    uint32_t b = *(const uint32_t *)right;
    return (a > b) - (a < b);
}

/* Every process that a record or a window names. */
static void find_processes(struct ts_trace *trace, struct ts_facts *facts) {
    struct numbers found = {.reading = {.trace = trace, .facts = facts}};
    add_number(&found, 1);
    walk_all(&found.reading, take_number);
    for (size_t i = 0; i < trace->window_count; i++)
        if (i == 0 || trace->windows[i].process != trace->windows[i - 1].process)
            add_number(&found, trace->windows[i].process);
    qsort(found.numbers, found.count, sizeof(*found.numbers), compare_numbers);
    facts->processes = ts_memory_new(found.count, sizeof(*facts->processes));
    for (size_t i = 0; i < found.count; i++) {
        if (i && found.numbers[i] == found.numbers[i - 1])
            continue;
        struct ts_process_facts *process = &facts->processes[facts->process_count++];
        process->number = found.numbers[i];
        process->modules = ts_module_map_new();
        process->hooks = ts_hook_map_new();
        process->start_clock = UINT64_MAX;
    }
    free(found.numbers);
    const struct ts_file_header *header = &trace->header;
    facts->processes[0].pid = header->pid;
    facts->processes[0].start_clock = header->start.clock;
    if (header->start.monotonic_ns)
        facts->processes[0].realtime_offset_ns = (int64_t)(header->start.realtime_ns - header->start.monotonic_ns);
}

static void fit_clock(struct ts_trace *trace) {
    const struct ts_facts *facts = trace->facts;
    size_t count = 0;
    struct ts_clock_point *points = ts_memory_new(trace->window_count + facts->thread_count + 2, sizeof(*points));
    points[count++] = (struct ts_clock_point){trace->header.start.clock, trace->header.start.monotonic_ns};
    points[count++] = (struct ts_clock_point){trace->header.end.clock, trace->header.end.monotonic_ns};
    for (size_t i = 0; i < trace->window_count; i++)
        points[count++] = (struct ts_clock_point){trace->windows[i].clock, trace->windows[i].monotonic_ns};
    for (size_t i = 0; i < facts->thread_count; i++)
        points[count++] = facts->threads[i].pair;
    ts_clock_fit_make(&trace->clock, trace->header.clock_kind, trace->header.tick_hz, points, count);
    free(points);
}

/* A thread reads the clock when it closes a window, then when it begins the next one. */
static void count_steps_back(struct ts_trace *trace) {
    const struct ts_clock_pair *start = &trace->header.start, *end = &trace->header.end;
    trace->clock_steps_back = end->clock && end->clock < start->clock;
    for (size_t i = 1; i < trace->window_count; i++) {
        const struct ts_window *before = &trace->windows[i - 1], *window = &trace->windows[i];
        uint64_t least = before->end_clock > before->clock ? before->end_clock : before->clock;
        trace->clock_steps_back += window->thread && window->thread == before->thread &&
                                   window->process == before->process && window->clock < least;
    }
}

/* Forked children that wrote no control record: their windows tell whose they are. */
static void introduce_children(struct reading *reading) {
    struct ts_trace *trace = reading->trace;
    for (size_t i = 0; i < trace->window_count; i++) {
        if (i && trace->windows[i].process == trace->windows[i - 1].process)
            continue;
        struct ts_process_facts *process = ts_facts_process(reading->facts, trace->windows[i].process);
        struct ts_window_header header = {0};
        ts_trace_read(trace, trace->windows[i].offset, &header, sizeof(header));
        if (process->number == 1 || process->parent_number || !header.parent_process)
            continue;
        struct ts_record_process record = {
            .clock = {(uint32_t)header.process_start, (uint32_t)(header.process_start >> 32)},
            .pid = header.pid,
            .parent_pid = header.parent_pid,
            .process = process->number,
            .parent_process = header.parent_process,
        };
        take_process(reading, &record);
    }
}

void ts_facts_read(struct ts_trace *trace, struct ts_functions *functions) {
    struct ts_facts *facts = trace->facts = ts_memory_new(1, sizeof(*facts));
    struct reading reading = {.trace = trace, .facts = facts, .functions = functions, .names = ts_thread_names_new()};
    count_steps_back(trace);
    find_processes(trace, facts);
    walk_all(&reading, take_fact);
    introduce_children(&reading);
    ts_pauses_order(facts->pauses, &facts->pause_count);
    for (size_t i = 0; i < facts->process_count; i++)
        ts_module_map_finish(facts->processes[i].modules);
    walk_all(&reading, take_hook); /* looks modules up */
    for (size_t i = 0; i < facts->process_count; i++) {
        struct ts_process_facts *process = &facts->processes[i];
        const struct ts_process_facts *parent = ts_facts_process(facts, process->parent_number);
        ts_hook_map_finish(process->hooks, parent ? parent->hooks : NULL, process->start_clock);
        for (size_t key = 0; parent && key < TS_METADATA_KEYS; key++)
            if (!process->metadata[key])
                process->metadata[key] = parent->metadata[key];
        if (!process->realtime_offset_ns)
            process->realtime_offset_ns = (parent ? parent : &facts->processes[0])->realtime_offset_ns;
    }
    ts_trace_threads_read(trace, facts);
    fit_clock(trace);
    ts_thread_names_assign(reading.names, facts);
    ts_thread_names_free(reading.names);
}

void ts_facts_free(struct ts_facts *facts) {
    if (!facts)
        return;
    for (size_t i = 0; i < facts->process_count; i++) {
        ts_module_map_free(facts->processes[i].modules);
        ts_hook_map_free(facts->processes[i].hooks);
        free(facts->processes[i].exec_path);
    }
    for (size_t i = 0; i < facts->thread_count; i++)
        free(facts->threads[i].name);
    for (size_t i = 0; i < facts->metadata_count; i++)
        free(facts->metadata[i].value);
    for (size_t i = 0; i < facts->spawn_count; i++)
        free(facts->spawns[i].path);
    for (size_t i = 0; i < facts->unrecorded_count; i++) {
        free(facts->unrecorded[i]->path);
        free(facts->unrecorded[i]);
    }
    free(facts->spawns);
    free(facts->origins);
    free(facts->pauses);
    free(facts->unrecorded);
    for (size_t i = 0; i < facts->crash_count; i++)
        ts_crash_free(&facts->crashes[i]);
    free(facts->crashes);
    free(facts->processes);
    free(facts->threads);
    free(facts->metadata);
    free(facts->slots);
    free(facts);
}

const struct ts_metadata *ts_facts_metadata(const struct ts_facts *facts, const struct ts_process_facts *process,
                                            enum ts_metadata_key key) {
    size_t number = process->metadata[key];
    return number ? &facts->metadata[number - 1] : NULL;
}

static const struct ts_crash *resolve(const struct ts_trace *trace, const struct ts_process_facts *process,
                                      struct ts_functions *functions, struct ts_crash *crash) {
    if (crash->sender_pid == process->pid)
        crash->sender_pid = 0; /* itself, which need not be said */
    ts_crash_resolve(crash, trace->header.machine, process->modules, functions);
    return crash;
}

const struct ts_crash *ts_facts_crash(const struct ts_trace *trace, const struct ts_process_facts *process,
                                      struct ts_functions *functions) {
    const struct ts_facts *facts = trace->facts;
    struct ts_crash *found = NULL;
    /* Of several threads', the one with a stack came first. */
    for (size_t i = 0; i < facts->crash_count && process->end_reason == TS_END_SIGNAL; i++)
        if (facts->crashes[i].process == process->number && facts->crashes[i].signal == (uint32_t)process->end_status &&
            (!found || !found->stack_bytes))
            found = &facts->crashes[i];
    return found ? resolve(trace, process, functions, found) : NULL;
}

const struct ts_crash *ts_facts_next_crash(const struct ts_trace *trace, const struct ts_process_facts *process,
                                           uint32_t thread, struct ts_functions *functions, size_t *at) {
    const struct ts_facts *facts = trace->facts;
    while (*at < facts->crash_count) {
        struct ts_crash *crash = &facts->crashes[(*at)++];
        if (crash->process == process->number && crash->thread == thread)
            return resolve(trace, process, functions, crash);
    }
    return NULL;
}
