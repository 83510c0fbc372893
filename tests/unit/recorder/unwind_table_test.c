/*
 * Tables made by hand, right and damaged, between pages that cannot be read: whoever reads outside dies. Cannot find:
 * forms of linkers that are not met here; frame_test.c has those of the compiler that built it.
 */
#include "preload/unwind_table.h"

#include <criterion/criterion.h>
#include <string.h>
#include <sys/mman.h>

#define PAGE 4096u

/* A segment that ends with a page's end: .eh_frame_hdr, and behind it .eh_frame. */
struct segment {
    uint8_t *low;
    uint8_t *high;
    struct ts_unwind_table table;
    uint64_t code; /* of the first function; 16 bytes each */
};

static void put(uint8_t **at, uint64_t value, unsigned count) {
    memcpy(*at, &value, count);
    *at += count;
}

#define FUNCTIONS 3u
#define COMMON_BYTES 24u
#define DESCRIPTION_BYTES 24u
#define HEADER_BYTES (12u + 8 * FUNCTIONS)
#define BYTES (HEADER_BYTES + COMMON_BYTES + FUNCTIONS * DESCRIPTION_BYTES)

static void put_common(uint8_t **at, unsigned encoding) {
    put(at, COMMON_BYTES - 4, 4);
    put(at, 0, 4);
    memcpy(*at, "\x01zR\0\x01\x78\x10\x01", 8); /* version 1, factors 1 and -8, register 16, one byte of data */
    *at += 8;
    put(at, encoding, 1);
    memcpy(*at, "\x0c\x07\x08\x90\x01\0\0", 7); /* CFA = rsp + 8 */
    *at += 7;
}

/* Function i: after i + 1 bytes, CFA = rsp + 16 + 8 * i. Each uses 8 of 16 bytes, so that there are gaps. */
static void put_description(uint8_t **at, const uint8_t *common, unsigned i, uint64_t code) {
    put(at, DESCRIPTION_BYTES - 4, 4);
    put(at, (uint64_t)(*at - common), 4);
    put(at, code - (uint64_t)*at, 4);
    put(at, 8, 4);
    put(at, 0, 1);
    put(at, 0x40 | (i + 1), 1);
    put(at, 0x0e, 1);
    put(at, 16 + 8 * i, 1);
    put(at, 0, 4);
}

static struct segment make(void) {
    uint8_t *pages = mmap(NULL, 3 * PAGE, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    cr_assert_neq(pages, MAP_FAILED);
    cr_assert_eq(mprotect(pages + PAGE, PAGE, PROT_READ | PROT_WRITE), 0);
    struct segment segment = {.low = pages + PAGE, .high = pages + 2 * PAGE};
    uint8_t *header = segment.high - BYTES, *at = header, *common = header + HEADER_BYTES;
    segment.table = (struct ts_unwind_table){(uint64_t)header, (uint64_t)segment.low, (uint64_t)segment.high};
    segment.code = (uint64_t)header + 0x10000;
    put(&at, 1, 1);
    put(&at, 0x1b, 1); /* where .eh_frame is: from here, 4 bytes */
    put(&at, 0x03, 1); /* count: 4 bytes */
    put(&at, 0x3b, 1); /* lines: from the header, 4 bytes */
    put(&at, (uint64_t)(common - at), 4);
    put(&at, FUNCTIONS, 4);
    for (unsigned i = 0; i < FUNCTIONS; i++) {
        put(&at, segment.code + 16 * i - (uint64_t)header, 4);
        put(&at, HEADER_BYTES + COMMON_BYTES + i * DESCRIPTION_BYTES, 4);
    }
    put_common(&at, 0x1b);
    for (unsigned i = 0; i < FUNCTIONS; i++)
        put_description(&at, common, i, segment.code + 16 * i);
    cr_assert_eq(at, segment.high);
    return segment;
}

static void end(struct segment *segment) {
    munmap(segment->low - PAGE, 3 * PAGE);
}

static int64_t offset_at(const struct segment *segment, uint64_t from_code) {
    struct ts_cfa_rule rule;
    if (ts_unwind_table_find(&segment->table, segment->code + from_code, &rule))
        return -1;
    cr_assert_eq(rule.base, 7);
    cr_assert_eq(rule.indirect, 0);
    return rule.offset;
}

Test(unwind_table, every_address_has_its_functions_rule) {
    struct segment segment = make();
    for (unsigned i = 0; i < FUNCTIONS; i++)
        for (unsigned byte = 0; byte < 16; byte++) {
            int64_t wanted = byte >= 8 ? -1 : byte < i + 1 ? 8 : (int64_t)(16 + 8 * i);
            cr_assert_eq(offset_at(&segment, 16 * i + byte), wanted, "function %u, byte %u", i, byte);
        }
    cr_assert_eq(offset_at(&segment, (uint64_t)-1), -1);
    cr_assert_eq(offset_at(&segment, 16 * FUNCTIONS), -1);
    cr_assert_eq(offset_at(&segment, UINT64_C(1) << 32), -1);
    cr_assert_eq(offset_at(&segment, UINT64_C(1) << 63), -1);
    end(&segment);
}

/* Letters that say something of the frame and have no data: aarch64 has 'B' and 'G'. */
Test(unwind_table, letters_without_data) {
    static const char letters[] = "SBG";
    for (unsigned i = 0; i < 3; i++) {
        struct segment segment = make();
        struct ts_cfa_rule rule;
        uint8_t *augmentation = segment.high - BYTES + HEADER_BYTES + 9;
        memmove(augmentation + 3, augmentation + 2, COMMON_BYTES - 9 - 3); /* one nop less at the end */
        augmentation[2] = (uint8_t)letters[i];
        cr_assert_eq(offset_at(&segment, 20), 24);
        cr_assert_eq(ts_unwind_table_find(&segment.table, segment.code, &rule), 0);
        cr_assert_eq(rule.return_offset, -8);
        augmentation[2] = 'X';
        cr_assert_eq(offset_at(&segment, 20), -1);
        end(&segment);
    }
}

Test(unwind_table, none_is_told) {
    struct segment segment = make();
    struct ts_unwind_table none = {0};
    struct ts_cfa_rule rule;
    cr_assert_eq(ts_unwind_table_find(&none, segment.code, &rule), -1);
    memset(segment.low + PAGE - BYTES + 8, 0, 4);
    cr_assert_eq(offset_at(&segment, 0), -1, "a table without lines");
    end(&segment);
}

/* Absolute addresses, as a program at a fixed place has them, do not fit into 4 bytes here: they are 8 bytes long. */
Test(unwind_table, addresses_of_eight_bytes) {
    struct segment segment = make();
    uint8_t *common = segment.high - BYTES + HEADER_BYTES, *at = common + COMMON_BYTES;
    common[16] = 0x00;
    put(&at, 2 * DESCRIPTION_BYTES - 4, 4);
    at += 4;
    put(&at, segment.code, 8);
    put(&at, 8, 8);
    memcpy(at, "\0\x41\x0e\x28", 4);
    memset(at + 4, 0, 2 * DESCRIPTION_BYTES - 28);
    cr_assert_eq(offset_at(&segment, 0), 8);
    cr_assert_eq(offset_at(&segment, 1), 40);
    cr_assert_eq(offset_at(&segment, 8), -1);
    end(&segment);
}

Test(unwind_table, forms_that_are_not_known_are_refused) {
    static const struct {
        unsigned at;
        uint8_t value;
    } changes[] = {
        {0, 2},                    /* version of the header */
        {3, 0x1b},                 /* lines by their own place */
        {3, 0xff},                 /* no lines */
        {HEADER_BYTES + 8, 4},     /* version of the common part */
        {HEADER_BYTES + 9, 'e'},   /* gcc 2's augmentation */
        {HEADER_BYTES + 10, 'x'},  /* a letter of nobody */
        {HEADER_BYTES + 16, 0x9b}, /* addresses by way of a pointer */
        {HEADER_BYTES + 16, 0x2b}, /* addresses from the text's start */
        {HEADER_BYTES + 16, 0xff}, /* no addresses */
    };
    for (unsigned i = 0; i < sizeof changes / sizeof *changes; i++) {
        struct segment segment = make();
        segment.high[(int)changes[i].at - (int)BYTES] = changes[i].value;
        cr_assert_eq(offset_at(&segment, 0), -1, "change %u", i);
        end(&segment);
    }
}

/* A wrong rule is found out by what the slot holds; a read outside the segment is not survived. */
Test(unwind_table, no_damaged_byte_leads_outside) {
    static const uint8_t values[] = {0x00, 0x01, 0x7f, 0x80, 0xff, 0x0f, 0x10, 0x16, 'P', 'z'};
    struct segment segment = make();
    struct ts_cfa_rule rule;
    for (uint8_t *at = segment.high - BYTES; at < segment.high; at++) {
        uint8_t was = *at;
        for (unsigned i = 0; i < sizeof values + 8; i++) {
            *at = i < sizeof values ? values[i] : was ^ (uint8_t)(1 << (i - sizeof values));
            for (unsigned byte = 0; byte < 16 * FUNCTIONS; byte += 3)
                ts_unwind_table_find(&segment.table, segment.code + byte, &rule);
        }
        *at = was;
    }
    end(&segment);
}

Test(unwind_table, no_cut_segment_is_read_beyond_its_end) {
    struct segment segment = make();
    struct ts_cfa_rule rule;
    for (unsigned count = 0; count <= BYTES; count++) {
        uint8_t *header = segment.high - count;
        struct segment whole = make();
        memcpy(header, whole.high - BYTES, count);
        segment.table.header = (uint64_t)header;
        for (unsigned byte = 0; byte < 16 * FUNCTIONS; byte += 3)
            ts_unwind_table_find(&segment.table, segment.code + byte, &rule);
        end(&whole);
    }
    segment.table.header = (uint64_t)segment.high;
    cr_assert_eq(ts_unwind_table_find(&segment.table, segment.code, &rule), -1);
    segment.table.header = (uint64_t)segment.low - 4;
    cr_assert_eq(ts_unwind_table_find(&segment.table, segment.code, &rule), -1);
    end(&segment);
}
