#include "render/dwarf_lines.h"

#include "render/memory.h"

#include <dwarf.h>
#include <elfutils/libdw.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

/* What honest files stay below; a crafted one can make DIEs and range lists multiply each other. */
enum {
    RANGES_MAX = 1 << 22,       /* code ranges kept of all units, and of the functions of one unit */
    DIES_MAX = 1 << 22,         /* visited in one unit */
    INLINED_DIES_MAX = 1 << 16, /* visited in one function, for one address */
    SCOPES_MAX = 64,            /* namespaces, classes and functions around a function */
    OVERLAPPING_MAX = 16,       /* ranges searched backwards for one that covers the address */
};

/* Code [low, high) that belongs to the DIE at `offset`. */
struct range {
    uint64_t low;
    uint64_t high;
    Dwarf_Off offset;
};

struct ranges {
    struct range *items;
    size_t count;
    size_t capacity;
};

struct unit {
    Dwarf_Off offset; /* of its first DIE */
    struct ranges functions;
};

struct ts_dwarf_lines {
    Dwarf *dwarf;
    struct unit *units; /* those asked about so far, by offset */
    size_t unit_count;
    size_t unit_capacity;
    struct ranges code; /* of all units: for files that lack .debug_aranges, or have it only for some units */
    bool code_known;
};

static int compare_ranges(const void *left, const void *right) {
    const struct range *a = left, *b = right;
    if (a->low != b->low)
        return a->low < b->low ? -1 : 1;
    return a->high == b->high ? 0 : a->high > b->high ? -1 : 1; /* the outer one first */
}

static void ranges_sort(struct ranges *ranges) {
    if (ranges->count)
        qsort(ranges->items, ranges->count, sizeof *ranges->items, compare_ranges);
}

static const struct range *ranges_find(const struct ranges *ranges, uint64_t address) {
    size_t low = 0, high = ranges->count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (ranges->items[middle].low <= address)
            low = middle + 1;
        else
            high = middle;
    }
    for (size_t back = 0; back < OVERLAPPING_MAX && back < low; back++)
        if (address < ranges->items[low - 1 - back].high)
            return &ranges->items[low - 1 - back];
    return NULL;
}

static void ranges_add_die(struct ranges *ranges, Dwarf_Die *die) {
    Dwarf_Addr base, low, high;
    ptrdiff_t next = 0;
    while (ranges->count < RANGES_MAX && (next = dwarf_ranges(die, next, &base, &low, &high)) > 0) {
        if (low >= high)
            continue;
        ranges->items = ts_memory_grow(ranges->items, &ranges->capacity, ranges->count + 1, sizeof *ranges->items);
        ranges->items[ranges->count++] = (struct range){low, high, dwarf_dieoffset(die)};
    }
}

/* Reads the first DIE of every unit, no more. */
static void read_code_ranges(struct ts_dwarf_lines *lines) {
    Dwarf_CU *unit = NULL;
    Dwarf_Die die;
    while (lines->code.count < RANGES_MAX && dwarf_get_units(lines->dwarf, unit, &unit, NULL, NULL, &die, NULL) == 0)
        ranges_add_die(&lines->code, &die);
    ranges_sort(&lines->code);
    lines->code_known = true;
}

static bool find_unit_die(struct ts_dwarf_lines *lines, uint64_t address, Dwarf_Die *die) {
    if (dwarf_addrdie(lines->dwarf, address, die))
        return true;
    if (!lines->code_known)
        read_code_ranges(lines);
    const struct range *range = ranges_find(&lines->code, address);
    return range && dwarf_offdie(lines->dwarf, range->offset, die);
}

/* What the unit says of its functions may be in a file of its own (split DWARF); its lines are here. */
static void find_split_die(Dwarf_Die *unit) {
    uint8_t type;
    Dwarf_Die split;
    if (dwarf_cu_info(unit->cu, NULL, &type, NULL, &split, NULL, NULL, NULL) == 0 && type == DW_UT_skeleton &&
        dwarf_tag(&split) == DW_TAG_compile_unit)
        *unit = split;
}

static Dwarf *unit_dwarf(struct ts_dwarf_lines *lines, Dwarf_Die *unit) {
    Dwarf *dwarf = dwarf_cu_getdwarf(unit->cu);
    return dwarf ? dwarf : lines->dwarf;
}

static bool holds_functions(int tag) {
    return tag == DW_TAG_namespace || tag == DW_TAG_module || tag == DW_TAG_class_type ||
           tag == DW_TAG_structure_type || tag == DW_TAG_union_type || tag == DW_TAG_subprogram;
}

static void read_functions(Dwarf_Die *unit, struct ranges *functions) {
    Dwarf_Die path[SCOPES_MAX];
    size_t depth = 0;
    if (dwarf_child(unit, &path[0]) != 0)
        return;
    for (size_t visited = 0; visited < DIES_MAX; visited++) {
        int tag = dwarf_tag(&path[depth]);
        if (tag == DW_TAG_subprogram)
            ranges_add_die(functions, &path[depth]);
        if (holds_functions(tag) && depth + 1 < SCOPES_MAX && dwarf_child(&path[depth], &path[depth + 1]) == 0) {
            depth++;
            continue;
        }
        while (dwarf_siblingof(&path[depth], &path[depth]) != 0) {
            if (depth == 0)
                goto out;
            depth--;
        }
    }
out:
    ranges_sort(functions);
}

/* *die becomes the one that the functions are in. */
static const struct ranges *functions_of(struct ts_dwarf_lines *lines, Dwarf_Die *die) {
    Dwarf_Off offset = dwarf_dieoffset(die);
    find_split_die(die);
    size_t low = 0, high = lines->unit_count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (lines->units[middle].offset < offset)
            low = middle + 1;
        else
            high = middle;
    }
    if (low == lines->unit_count || lines->units[low].offset != offset) {
        lines->units = ts_memory_grow(lines->units, &lines->unit_capacity, lines->unit_count + 1, sizeof *lines->units);
        memmove(lines->units + low + 1, lines->units + low, (lines->unit_count - low) * sizeof *lines->units);
        lines->unit_count++;
        lines->units[low] = (struct unit){.offset = offset};
        read_functions(die, &lines->units[low].functions);
    }
    return &lines->units[low].functions;
}

/*
 * The file of DW_AT_decl_file, which may stand in the DIE that this one completes (DW_AT_specification) or is a copy of
 * (DW_AT_abstract_origin), in another unit too. Not dwarf_decl_file: that takes DWARF 5's file 0, the unit's own, for
 * none.
 */
static const char *declared_in(Dwarf_Die *function) {
    Dwarf_Attribute attribute;
    Dwarf_Die unit;
    Dwarf_Files *files;
    Dwarf_Word number;
    Dwarf_Half version;
    size_t count;
    if (!dwarf_attr_integrate(function, DW_AT_decl_file, &attribute) || dwarf_formudata(&attribute, &number) != 0 ||
        !dwarf_cu_die(attribute.cu, &unit, &version, NULL, NULL, NULL, NULL, NULL) || (number == 0 && version < 5) ||
        dwarf_getsrcfiles(&unit, &files, &count) != 0)
        return NULL;
    return number < count ? dwarf_filesrc(files, number, NULL, NULL) : NULL;
}

static int declaration(Dwarf_Die *function, struct ts_source *source) {
    int line;
    const char *file = declared_in(function);
    if (!file || dwarf_decl_line(function, &line) != 0 || line <= 0)
        return -1;
    *source = (struct ts_source){.file = file, .line = (uint32_t)line};
    return 0;
}

static int line_row(Dwarf_Die *unit, uint64_t address, struct ts_source *source) {
    int line;
    Dwarf_Line *row = dwarf_getsrc_die(unit, address);
    if (!row || dwarf_lineno(row, &line) != 0 || line <= 0)
        return -1;
    const char *file = dwarf_linesrc(row, NULL, NULL);
    if (!file)
        return -1;
    *source = (struct ts_source){.file = file, .line = (uint32_t)line};
    return 0;
}

int ts_dwarf_lines_find(struct ts_dwarf_lines *lines, uint64_t address, struct ts_source *source) {
    Dwarf_Die unit, inner, function;
    if (!find_unit_die(lines, address, &unit))
        return -1;
    inner = unit;
    const struct range *range = ranges_find(functions_of(lines, &inner), address);
    if (range && dwarf_offdie(unit_dwarf(lines, &inner), range->offset, &function) &&
        declaration(&function, source) == 0)
        return 0;
    return line_row(&unit, address, source);
}

static const char *name_of(Dwarf_Die *function) {
    static const unsigned kinds[] = {DW_AT_linkage_name, DW_AT_MIPS_linkage_name, DW_AT_name};
    Dwarf_Attribute attribute;
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        const char *name = dwarf_formstring(dwarf_attr_integrate(function, kinds[i], &attribute));
        if (name && *name)
            return name;
    }
    return NULL;
}

size_t ts_dwarf_lines_inlined(struct ts_dwarf_lines *lines, uint64_t address, const char **names, size_t most) {
    Dwarf_Die unit, at;
    if (!find_unit_die(lines, address, &unit))
        return 0;
    const struct range *range = ranges_find(functions_of(lines, &unit), address);
    size_t count = 0;
    if (!range || !dwarf_offdie(unit_dwarf(lines, &unit), range->offset, &at) || dwarf_child(&at, &at) != 0)
        return 0;
    /* Down wherever the address lies: blocks and inlined functions hold others. */
    for (size_t visited = 0; visited < INLINED_DIES_MAX && count < most; visited++) {
        int tag = dwarf_tag(&at);
        int holds = (tag == DW_TAG_inlined_subroutine || tag == DW_TAG_lexical_block) && dwarf_haspc(&at, address) > 0;
        const char *name = holds && tag == DW_TAG_inlined_subroutine ? name_of(&at) : NULL;
        if (name)
            names[count++] = name;
        if (holds ? dwarf_child(&at, &at) != 0 : dwarf_siblingof(&at, &at) != 0)
            break;
    }
    return count;
}

int ts_dwarf_lines_row(struct ts_dwarf_lines *lines, uint64_t address, struct ts_source *source) {
    Dwarf_Die unit;
    return find_unit_die(lines, address, &unit) ? line_row(&unit, address, source) : -1;
}

static void add_row(struct ts_source_rows *rows, Dwarf_Line *row, uint64_t address) {
    bool ends = true;
    int line = 0, column = 0;
    struct ts_source_row added = {.address = address};
    if (dwarf_lineendsequence(row, &ends) == 0 && !ends && dwarf_lineno(row, &line) == 0 && line > 0) {
        added.file = dwarf_linesrc(row, NULL, NULL);
        added.line = (uint32_t)line;
        added.column = dwarf_linecol(row, &column) == 0 && column > 0 ? (uint32_t)column : 0;
    }
    rows->rows = ts_memory_grow(rows->rows, &rows->capacity, rows->count + 1, sizeof *rows->rows);
    rows->rows[rows->count++] = added;
}

int ts_dwarf_lines_rows(struct ts_dwarf_lines *lines, uint64_t low, uint64_t high, struct ts_source_rows *rows) {
    Dwarf_Die unit;
    Dwarf_Lines *table;
    size_t count, first = 0, end;
    Dwarf_Addr address = 0;
    if (!find_unit_die(lines, low, &unit) || dwarf_getsrclines(&unit, &table, &count) != 0)
        return -1;
    for (end = count; first < end;) { /* the first row behind `low` */
        size_t middle = first + (end - first) / 2;
        if (dwarf_lineaddr(dwarf_onesrcline(table, middle), &address) == 0 && address <= low)
            first = middle + 1;
        else
            end = middle;
    }
    Dwarf_Attribute attribute;
    const char *producer = dwarf_formstring(dwarf_attr(&unit, DW_AT_producer, &attribute));
    rows->by_clang = producer && strstr(producer, "clang");
    Dwarf_Die function;
    const struct range *range = ranges_find(functions_of(lines, &unit), low);
    rows->returns_value = range && dwarf_offdie(unit_dwarf(lines, &unit), range->offset, &function) &&
                          dwarf_hasattr_integrate(&function, DW_AT_type);
    while (first && dwarf_lineaddr(dwarf_onesrcline(table, first - 1), &address) == 0 && address == low)
        first--;
    if (first && address != low)
        first--;
    for (; first < count && rows->count <= 2 * (high - low); first++) { /* no honest table has more rows than code */
        Dwarf_Line *row = dwarf_onesrcline(table, first);
        if (dwarf_lineaddr(row, &address) != 0 || address >= high)
            break;
        add_row(rows, row, address);
    }
    return rows->count ? 0 : -1;
}

struct ts_dwarf_lines *ts_dwarf_lines_open(int fd) {
    Dwarf *dwarf = dwarf_begin(fd, DWARF_C_READ);
    if (!dwarf)
        return NULL;
    struct ts_dwarf_lines *lines = ts_memory_new(1, sizeof *lines);
    lines->dwarf = dwarf;
    return lines;
}

void ts_dwarf_lines_close(struct ts_dwarf_lines *lines) {
    if (!lines)
        return;
    for (size_t i = 0; i < lines->unit_count; i++)
        free(lines->units[i].functions.items);
    free(lines->units);
    free(lines->code.items);
    dwarf_end(lines->dwarf);
    free(lines);
}
