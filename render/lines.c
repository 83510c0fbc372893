#include "render/lines.h"

#include "render/code_file.h"
#include "render/demangle.h"
#include "render/line_times.h"
#include "render/lines_gather.h"
#include "render/memory.h"
#include "render/session_private.h"
#include "render/symbols.h"

#include <stdlib.h>
#include <string.h>

/* One object, function by function. */
struct looking {
    struct ts_lines *lines;
    const struct ts_executed *executed;
    struct ts_object *object;
    struct ts_symbols *symbols;
    struct ts_code_file code;
    struct ts_code_counters counters;
    struct ts_code_flow flow;
    struct ts_source_rows rows;
    struct ts_line_counts counts;
};

static void tell_problem(struct ts_lines *lines, const char *problem) {
    lines->problems =
        ts_memory_grow(lines->problems, &lines->problem_capacity, lines->problem_count + 1, sizeof *lines->problems);
    lines->problems[lines->problem_count++] = ts_memory_copy(problem, strlen(problem));
}

static uint64_t count_at(const void *context, uint64_t address) {
    const struct looking *looking = context;
    return ts_executed_at(looking->executed, looking->object, address);
}

static bool is_of(const struct looking *looking, size_t place) {
    return place < looking->executed->place_count && looking->executed->places[place].object == looking->object;
}

/* Which callees are counters: calls that return to where something was counted. */
static void find_counters(struct looking *looking, uint64_t address, size_t bytes) {
    struct ts_code_instruction instruction;
    const uint8_t *code = ts_code_file_read(&looking->code, address, &bytes);
    for (size_t at = 0; at < bytes; at += instruction.bytes) {
        if (looking->code.decode(code + at, bytes - at, address + at, &instruction))
            return;
        if (instruction.kind == TS_CODE_CALL && !ts_code_counters_hold(&looking->counters, instruction.target) &&
            count_at(looking, address + at + instruction.bytes))
            ts_code_counters_add(&looking->counters, instruction.target);
    }
}

static void look_for_counters(struct looking *looking) {
    struct ts_symbol symbol;
    size_t place = ts_executed_first(looking->executed, looking->object, 0);
    while (is_of(looking, place)) {
        uint64_t address = looking->executed->places[place].address;
        if (ts_symbols_find(looking->symbols, address, &symbol) != 0) {
            place++;
            continue;
        }
        struct ts_symbol whole = symbol;
        if (ts_symbols_next(looking->symbols, symbol.address, &whole) == 0)
            find_counters(looking, whole.address, whole.bytes);
        size_t behind = ts_executed_first(looking->executed, looking->object, whole.address + whole.bytes);
        place = behind > place ? behind : place + 1;
    }
}

static void gather_function(struct looking *looking, const struct ts_symbol *symbol, const struct ts_source *declared) {
    struct ts_line_counts *counts = &looking->counts;
    for (size_t i = 0; i < counts->count; i++)
        ts_lines_gather_line(looking->lines, counts->lines[i].file, counts->lines[i].line, counts->lines[i].count);
    for (size_t i = 0; i < counts->branch_count && looking->lines->with_branches; i++)
        ts_lines_gather_branch(looking->lines, &counts->branches[i]);
    if (declared)
        ts_lines_gather_function(looking->lines, declared, symbol->linkage_name, looking->flow.blocks[0].count);
}

static void look_at_function(struct looking *looking, const struct ts_symbol *symbol) {
    struct ts_source declared;
    size_t bytes = symbol->bytes;
    const uint8_t *code = ts_code_file_read(&looking->code, symbol->address, &bytes);
    if (!ts_code_flow_read(&looking->flow, looking->code.decode, code, bytes, symbol->address, &looking->counters))
        return;
    ts_code_flow_solve(&looking->flow, count_at, looking);
    if (ts_symbols_rows(looking->symbols, symbol->address, symbol->address + bytes, &looking->rows))
        return;
    bool is_declared = ts_symbols_source(looking->symbols, symbol->address, &declared) == 0;
    ts_line_counts_find(&looking->counts, &looking->flow, &looking->rows, is_declared ? &declared : NULL);
    gather_function(looking, symbol, is_declared ? &declared : NULL);
}

/* Switches and comparisons of the object, by the line of the call that told them. */
static void gather_places(struct looking *looking) {
    const struct ts_executed *executed = looking->executed;
    struct ts_source source;
    for (size_t i = 0; i < executed->case_count; i++)
        if (executed->cases[i].object == looking->object &&
            ts_symbols_line(looking->symbols, executed->cases[i].address - 1, &source) == 0)
            ts_lines_gather_switch(looking->lines, &source, &executed->cases[i]);
    for (size_t i = 0; i < executed->pair_count; i++)
        if (executed->pairs[i].object == looking->object &&
            ts_symbols_line(looking->symbols, executed->pairs[i].address - 1, &source) == 0)
            ts_lines_gather_compare(looking->lines, &source, &executed->pairs[i]);
}

static void look_at_object(struct looking *looking) {
    struct ts_symbol symbol;
    struct ts_error error;
    const struct ts_object *object = looking->object;
    looking->symbols = ts_symbols_open(object->path, object->build_id, object->build_id_bytes, &error);
    if (!looking->symbols) {
        tell_problem(looking->lines, error.text);
        return;
    }
    ts_lines_keep_symbols(looking->lines, looking->symbols);
    if (!ts_symbols_has_lines(looking->symbols)) {
        ts_error_set(&error, "%s was executed, but has no debug information (-g): its lines are not known",
                     object->path);
        tell_problem(looking->lines, error.text);
        return;
    }
    if (ts_code_file_open(&looking->code, object->path, object->build_id, object->build_id_bytes, &error)) {
        tell_problem(looking->lines, error.text);
        return;
    }
    looking->counters.count = 0;
    look_for_counters(looking);
    for (uint64_t address = 0; ts_symbols_next(looking->symbols, address, &symbol) == 0;) {
        look_at_function(looking, &symbol);
        if (symbol.address == UINT64_MAX)
            break;
        address = symbol.address + 1;
    }
    gather_places(looking);
    ts_code_file_close(&looking->code);
}

static void add_call_times(struct ts_lines *lines, struct ts_session *session) {
    struct ts_line_times times = {.count = 0};
    ts_line_times_find(&times, session);
    for (size_t i = 0; i < times.count; i++)
        ts_lines_add_calls(lines, &times.lines[i]);
    ts_line_times_free(&times);
}

static bool has_level(const struct ts_session *session, int level) {
    for (size_t t = 0; t < session->trace_count; t++) {
        const struct ts_facts *facts = session->traces[t]->facts;
        for (size_t i = 0; i < facts->metadata_count; i++)
            if (facts->metadata[i].key == TS_METADATA_LEVEL && atoi(facts->metadata[i].value) >= level)
                return true;
    }
    return false;
}

int ts_lines_find(struct ts_lines *lines, struct ts_session *session, struct ts_error *error) {
    struct ts_executed executed = {.places = NULL};
    if (ts_executed_read(&executed, session, error)) {
        ts_executed_free(&executed);
        return -1;
    }
    lines->with_branches = has_level(session, 3);
    struct looking looking = {.lines = lines, .executed = &executed, .code = {.fd = -1}};
    for (size_t i = 0; i < executed.place_count; i++)
        if (i == 0 || executed.places[i].object != executed.places[i - 1].object) {
            looking.object = executed.places[i].object;
            look_at_object(&looking);
        }
    ts_lines_finish(lines);
    if (lines->file_count)
        add_call_times(lines, session);
    if (!executed.place_count)
        tell_problem(lines, has_level(session, 2)
                                ? "nothing was executed that was compiled with -fsanitize-coverage=trace-pc"
                                : "lines are recorded from TRACE_LEVEL=2 on");
    ts_line_counts_free(&looking.counts);
    ts_code_flow_free(&looking.flow);
    free(looking.counters.targets);
    free(looking.rows.rows);
    ts_executed_free(&executed);
    return 0;
}
