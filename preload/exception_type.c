#include "preload/exception_type.h"
#include "preload/readable.h"

/* Classes looked at in one object: more than any program's exceptions have bases. */
#define PARTS_MOST 32

/* A base in a __vmi_class_type_info: its type, then flags and, above them, its offset (ABI 2.9.5). */
#define IS_VIRTUAL 1
#define OFFSET_SHIFT 8

#define NOWHERE INT64_MIN

/* A base class and where it lies, from the object's begin. */
struct part {
    uint64_t type;
    int64_t offset;
};

static int read_word(struct ts_readable *readable, uint64_t address, uint64_t *value) {
    if (address % 8 || !ts_readable_byte(readable, address))
        return -1;
    *value = *(const uint64_t *)address;
    return 0;
}

uint64_t ts_exception_word_read(uint64_t address) {
    struct ts_readable readable = {0};
    uint64_t value;
    return read_word(&readable, address, &value) ? 0 : value;
}

uint32_t ts_exception_text_read(uint64_t address, uint8_t *text, uint32_t most, int *cut) {
    struct ts_readable readable = {0};
    const uint8_t *from = (const uint8_t *)address;
    uint32_t count = 0;
    *cut = 0;
    for (;; count++) {
        if (!ts_readable_byte(&readable, address + count))
            return 0;
        if (!from[count])
            return count;
        if (count == most)
            break;
        text[count] = from[count];
    }
    *cut = 1;
    while (count && (from[count] & 0xc0) == 0x80) /* not in the middle of a character of UTF-8 */
        count--;
    return count;
}

static int is_text(struct ts_readable *readable, uint64_t address, const char *text) {
    for (uint64_t i = 0;; i++) {
        if (!ts_readable_byte(readable, address + i) || ((const char *)address)[i] != text[i])
            return 0;
        if (!text[i])
            return 1;
    }
}

/* The name of a type_info; 0: none can be read. A star before it tells of internal linkage. */
static uint64_t name_of(struct ts_readable *readable, uint64_t type) {
    uint64_t name;
    if (read_word(readable, type + 8, &name) || !ts_readable_byte(readable, name))
        return 0;
    return name + (*(const char *)name == '*');
}

/* A type_info is an object too: the word before its virtual table is its own type, which tells its layout. */
static uint64_t kind_of(struct ts_readable *readable, uint64_t type) {
    uint64_t table, kind;
    return read_word(readable, type, &table) || read_word(readable, table - 8, &kind) ? 0 : name_of(readable, kind);
}

/* Where a base of the part lies; a virtual one, as the part's virtual table says. */
static int64_t offset_of(struct ts_readable *readable, const struct part *part, uint64_t object, uint64_t flags) {
    int64_t offset = (int64_t)flags >> OFFSET_SHIFT;
    uint64_t table, distance;
    if (!(flags & IS_VIRTUAL))
        return part->offset + offset;
    if (read_word(readable, object + (uint64_t)part->offset, &table) ||
        read_word(readable, table + (uint64_t)offset, &distance))
        return NOWHERE;
    return part->offset + (int64_t)distance;
}

/* Adds the bases of a part to the `count` parts that there are; returns how many there are then. */
static uint32_t add_bases(struct ts_readable *readable, struct part part, uint64_t object, struct part *parts,
                          uint32_t count) {
    uint64_t kind = kind_of(readable, part.type), bases, flags;
    if (!kind)
        return count;
    if (is_text(readable, kind, "N10__cxxabiv120__si_class_type_infoE")) {
        if (count < PARTS_MOST && read_word(readable, part.type + 16, &parts[count].type) == 0)
            parts[count++].offset = part.offset;
        return count;
    }
    if (!is_text(readable, kind, "N10__cxxabiv121__vmi_class_type_infoE") ||
        read_word(readable, part.type + 16, &bases))
        return count;
    for (uint64_t i = 0; i < bases >> 32 && i < PARTS_MOST && count < PARTS_MOST; i++) {
        uint64_t base = part.type + 24 + 16 * i;
        if (read_word(readable, base, &parts[count].type) || read_word(readable, base + 8, &flags))
            break;
        parts[count].offset = offset_of(readable, &part, object, flags);
        count += parts[count].offset != NOWHERE;
    }
    return count;
}

/*
 * Where in the object the pointer to its text is. The standard's two exceptions with a text have it behind their
 * virtual table, in libstdc++ (std::__cow_string) and libc++ (std::__libcpp_refstring). A std::string begins with it.
 */
static int64_t find_text(uint64_t type, uint64_t name, uint64_t object) {
    static const char strings[][64] = {"PKc", "Pc", "NSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEEE", "Ss"};
    struct ts_readable readable = {0};
    struct part parts[PARTS_MOST] = {{type, 0}};
    for (unsigned i = 0; i < sizeof strings / sizeof *strings; i++)
        if (is_text(&readable, name, strings[i]))
            return 0;
    for (uint32_t at = 0, count = 1; at < count; at++) {
        uint64_t its_name = name_of(&readable, parts[at].type);
        if (its_name &&
            (is_text(&readable, its_name, "St13runtime_error") || is_text(&readable, its_name, "St11logic_error")))
            return parts[at].offset + 8;
        count = add_bases(&readable, parts[at], object, parts, count);
    }
    return NOWHERE;
}

/*
 * What was found for the types thrown last in this thread: another type at the same address, of a library that was
 * loaded in the place of one unloaded, has another name.
 */
static __thread struct known_type {
    uint64_t type;
    uint64_t name;
    int64_t text;
} known_types[4] __attribute__((tls_model("initial-exec")));

/* A handler that throws meanwhile may leave an entry of two types: `type` is set last, and what it leads to is checked.
 */
static int64_t find_known_text(uint64_t type, uint64_t name, uint64_t object) {
    struct known_type *known = &known_types[(type >> 4) % (sizeof known_types / sizeof *known_types)];
    if (known->type != type || known->name != name) {
        *(volatile uint64_t *)&known->type = 0;
        known->text = find_text(type, name, object);
        known->name = name;
        *(volatile uint64_t *)&known->type = type;
    }
    return known->text;
}

int ts_exception_type_read(uint64_t type, uint64_t object, uint8_t *text, uint32_t *type_bytes,
                           uint32_t *message_bytes) {
    struct ts_readable readable = {0};
    int cut = 0, message_cut;
    uint64_t name = type ? name_of(&readable, type) : 0;
    *type_bytes = *message_bytes = 0;
    if (!name)
        return 0;
    *type_bytes = ts_exception_text_read(name, text, TS_EXCEPTION_TYPE_MOST, &cut);
    int64_t place = *type_bytes ? find_known_text(type, name, object) : NOWHERE;
    uint64_t message = place == NOWHERE ? 0 : ts_exception_word_read(object + (uint64_t)place);
    if (message)
        *message_bytes = ts_exception_text_read(message, text + *type_bytes, TS_EXCEPTION_MESSAGE_MOST, &message_cut);
    return cut;
}
