#include "preload/unwind_table.h"
#include "frame_rule.h"

/* How a pointer is written: its form, what is added to it, and whether it leads to the pointer. */
enum {
    FORM = 0x0f,
    FORM_POINTER = 0x00,
    FORM_U2 = 0x02,
    FORM_U4 = 0x03,
    FORM_U8 = 0x04,
    FORM_S2 = 0x0a,
    FORM_S4 = 0x0b,
    FORM_S8 = 0x0c,
    BASE = 0x70,
    BASE_NONE = 0x00,
    BASE_HERE = 0x10,
    BASE_TABLE = 0x30,
    INDIRECT = 0x80,
};

/* What all functions of an object file share. */
struct common {
    uint64_t code_factor;
    int64_t data_factor;
    uint64_t return_register;
    unsigned pointer; /* encoding of the addresses of code */
    int has_size;     /* augmentation data follow, by their size */
    int is_signal;
    struct ts_byte_reader instructions;
};

/* A line of the sorted table: where code begins and where its description is, both by distance from the header. */
#define LINE_BYTES 8u
typedef int32_t unaligned_int32 __attribute__((aligned(1), may_alias));

static struct ts_byte_reader reader_at(const struct ts_unwind_table *table, uint64_t address) {
    int inside = address >= table->low && address <= table->high;
    return (struct ts_byte_reader){(const uint8_t *)(inside ? address : table->high), (const uint8_t *)table->high,
                                   !inside};
}

/* Bytes of a form; 0: not known here. */
static unsigned form_bytes(unsigned encoding) {
    switch (encoding & FORM) {
    case FORM_U2:
    case FORM_S2:
        return 2;
    case FORM_U4:
    case FORM_S4:
        return 4;
    case FORM_POINTER:
    case FORM_U8:
    case FORM_S8:
        return 8;
    default:
        return 0;
    }
}

/* The number alone, without its base. */
static uint64_t read_form(struct ts_byte_reader *reader, unsigned encoding) {
    uint64_t value = ts_byte_reader_number(reader, form_bytes(encoding));
    switch (encoding & FORM) {
    case FORM_S2:
        return (uint64_t)(int16_t)value;
    case FORM_S4:
        return (uint64_t)(int32_t)value;
    default:
        return value;
    }
}

static uint64_t read_pointer(struct ts_byte_reader *reader, unsigned encoding) {
    uint64_t base = (encoding & BASE) == BASE_HERE ? (uint64_t)reader->at : 0;
    return base + read_form(reader, encoding);
}

static int pointer_is_known(unsigned encoding) {
    unsigned base = encoding & BASE;
    return form_bytes(encoding) && (base == BASE_NONE || base == BASE_HERE) && !(encoding & INDIRECT);
}

/* Begins an entry: its bytes behind the length. All ones mean that it has 64 bits, which nobody writes. */
static struct ts_byte_reader open_entry(const struct ts_unwind_table *table, uint64_t address) {
    struct ts_byte_reader reader = reader_at(table, address);
    uint64_t length = ts_byte_reader_number(&reader, 4);
    struct ts_byte_reader entry = ts_byte_reader_part(&reader, length);
    entry.failed = reader.failed || length == UINT32_MAX;
    return entry;
}

/* The letters of the augmentation behind its 'z' tell what lies in its data, in order. 0, or -1: not known here. */
static int read_augmentation(struct common *common, const uint8_t *letters, struct ts_byte_reader data) {
    for (; *letters; letters++) {
        int has_data = *letters == 'R' || *letters == 'P' || *letters == 'L';
        unsigned encoding = has_data ? (unsigned)ts_byte_reader_number(&data, 1) : 0;
        switch (*letters) {
        case 'R':
            common->pointer = encoding;
            break;
        case 'P':
            if (!form_bytes(encoding))
                return -1;
            ts_byte_reader_part(&data, form_bytes(encoding));
            break;
        case 'S': /* a signal's frame */
            common->is_signal = 1;
            break;
        case 'L':
        case 'B': /* aarch64: return addresses are signed with key B */
        case 'G': /* aarch64: the stack's memory is tagged */
            break;
        default:
            return -1;
        }
    }
    return data.failed || !pointer_is_known(common->pointer) ? -1 : 0;
}

static int read_common(const struct ts_unwind_table *table, uint64_t address, struct common *common) {
    struct ts_byte_reader entry = open_entry(table, address);
    uint64_t id = ts_byte_reader_number(&entry, 4), version = ts_byte_reader_number(&entry, 1);
    const uint8_t *letters = entry.at;
    while (ts_byte_reader_number(&entry, 1))
        ;
    *common = (struct common){.code_factor = ts_byte_reader_unsigned(&entry)};
    common->data_factor = ts_byte_reader_signed(&entry);
    common->return_register = version == 1 ? ts_byte_reader_number(&entry, 1) : ts_byte_reader_unsigned(&entry);
    if (entry.failed || id != 0 || (version != 1 && version != 3) || (*letters && *letters != 'z'))
        return -1;
    common->has_size = *letters == 'z';
    if (common->has_size) {
        struct ts_byte_reader data = ts_byte_reader_part(&entry, ts_byte_reader_unsigned(&entry));
        if (entry.failed || read_augmentation(common, letters + 1, data))
            return -1;
    }
    common->instructions = entry;
    return 0;
}

/* Address of the description that may cover `address`, 0: none. */
static uint64_t search(const struct ts_unwind_table *table, uint64_t address) {
    struct ts_byte_reader reader = reader_at(table, table->header);
    unsigned version = (unsigned)ts_byte_reader_number(&reader, 1);
    unsigned frames = (unsigned)ts_byte_reader_number(&reader, 1);
    unsigned counted = (unsigned)ts_byte_reader_number(&reader, 1);
    unsigned sorted = (unsigned)ts_byte_reader_number(&reader, 1);
    if (version != 1 || !form_bytes(frames) || !form_bytes(counted) || sorted != (BASE_TABLE | FORM_S4))
        return 0;
    ts_byte_reader_part(&reader, form_bytes(frames)); /* where .eh_frame begins: the entries tell */
    uint64_t above = ts_byte_reader_number(&reader, form_bytes(counted)), below = 0;
    if (reader.failed || above > ts_byte_reader_left(&reader) / LINE_BYTES)
        return 0;
    const unaligned_int32 *lines = (const unaligned_int32 *)reader.at;
    int64_t code = (int64_t)(address - table->header);
    while (above - below > 1) {
        uint64_t middle = below + (above - below) / 2;
        if (lines[2 * middle] <= code)
            below = middle;
        else
            above = middle;
    }
    return above > below && lines[2 * below] <= code ? table->header + (uint64_t)(int64_t)lines[2 * below + 1] : 0;
}

int ts_unwind_table_find(const struct ts_unwind_table *table, uint64_t address, struct ts_cfa_rule *rule) {
    struct common common;
    uint64_t description = table->header ? search(table, address) : 0;
    if (!description)
        return -1;
    struct ts_byte_reader entry = open_entry(table, description);
    uint64_t here = (uint64_t)entry.at, back = ts_byte_reader_number(&entry, 4);
    if (entry.failed || back == 0 || read_common(table, here - back, &common))
        return -1;
    uint64_t start = read_pointer(&entry, common.pointer), bytes = read_form(&entry, common.pointer);
    if (common.has_size)
        ts_byte_reader_part(&entry, ts_byte_reader_unsigned(&entry));
    if (entry.failed || address - start >= bytes)
        return -1;
    struct ts_cfa_program program = {.address = address,
                                     .location = start,
                                     .code_factor = common.code_factor,
                                     .data_factor = common.data_factor,
                                     .return_register = common.return_register,
                                     .pointer_register = TS_FRAME_POINTER_REGISTER,
                                     .rule = {.base = TS_CFA_NO_REGISTER}};
    if (ts_cfa_program_run(&program, common.instructions))
        return -1;
    program.return_offset_at_entry = program.rule.return_offset;
    if (ts_cfa_program_run(&program, entry))
        return -1;
    *rule = program.rule;
    rule->is_signal = common.is_signal;
    return rule->base == TS_CFA_NO_REGISTER ? -1 : 0;
}
