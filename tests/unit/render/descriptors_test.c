/* What descriptors refer to, for one window. */
#include "render/descriptors.h"

#include "collector/trace_format.h"

#include <criterion/criterion.h>
#include <string.h>

struct record {
    struct ts_record_descriptor descriptor;
    char tail[20];
};

/* "/x", padded; a local address of 5 bytes, padded; a peer of 3. */
static struct record make(int32_t fd) {
    struct record record = {{.fd = fd, .text_bytes = 2, .local_bytes = 5, .peer_bytes = 3}, "/x\0\0localaaapee"};
    return record;
}

static void add(struct ts_descriptors *table, const struct record *record, size_t tail) {
    const uint32_t *begin = (const uint32_t *)(const void *)record;
    ts_descriptors_add(table, begin, begin + (sizeof record->descriptor + tail) / 4);
}

Test(descriptors, parts_are_padded_to_words) {
    struct ts_descriptors table = {0};
    struct ts_descriptor found;
    struct record record = make(3);
    cr_assert_eq(ts_descriptors_find(&table, 3, &found), 0);
    add(&table, &record, 16);
    cr_assert_eq(ts_descriptors_find(&table, 4, &found), 0);
    cr_assert_eq(ts_descriptors_find(&table, 3, &found), 1);
    cr_expect(found.text_bytes == 2 && memcmp(found.text, "/x", 2) == 0);
    cr_expect(found.local_bytes == 5 && memcmp(found.local, "local", 5) == 0);
    cr_expect(found.peer_bytes == 3 && memcmp(found.peer, "pee", 3) == 0);
    ts_descriptors_free(&table);
}

Test(descriptors, parts_beyond_the_record_are_cut) {
    struct ts_descriptors table = {0};
    struct ts_descriptor found;
    struct record record = make(3);
    add(&table, &record, 8);
    cr_assert_eq(ts_descriptors_find(&table, 3, &found), 1);
    cr_expect_eq(found.text_bytes, 2);
    cr_expect_eq(found.local_bytes, 4);
    cr_expect_eq(found.peer_bytes, 0);
    record.descriptor.text_bytes = UINT32_MAX;
    add(&table, &record, 8);
    cr_assert_eq(ts_descriptors_find(&table, 3, &found), 1);
    cr_expect_eq(found.text_bytes, 8);
    cr_expect_eq(found.local_bytes, 0);
    add(&table, &record, 0);
    cr_assert_eq(ts_descriptors_find(&table, 3, &found), 1);
    cr_expect_eq(found.text_bytes, 0);
    ts_descriptors_free(&table);
}

Test(descriptors, the_newest_record_holds_and_a_window_ends_all) {
    struct ts_descriptors table = {0};
    struct ts_descriptor found;
    struct record first = make(-1);
    struct record second = make(-1);
    ts_descriptors_forget(&table);
    second.tail[1] = 'y';
    add(&table, &first, 16);
    add(&table, &second, 16);
    cr_assert_eq(ts_descriptors_find(&table, -1, &found), 1);
    cr_expect_eq(found.text[1], 'y');
    ts_descriptors_forget(&table);
    cr_expect_eq(ts_descriptors_find(&table, -1, &found), 0);
    ts_descriptors_free(&table);
}

Test(descriptors, many) {
    enum { MANY = 3000 };
    static struct record records[MANY];
    struct ts_descriptors table = {0};
    struct ts_descriptor found;
    for (int window = 0; window < 3; window++) {
        ts_descriptors_forget(&table);
        for (int fd = 0; fd < MANY; fd++) {
            records[fd] = make(fd * 4096);
            add(&table, &records[fd], 16);
        }
        for (int fd = 0; fd < MANY; fd++) {
            cr_assert_eq(ts_descriptors_find(&table, fd * 4096, &found), 1);
            cr_assert_eq((const void *)found.text, records[fd].tail);
        }
        cr_assert_eq(ts_descriptors_find(&table, 1, &found), 0);
    }
    cr_expect_leq(table.size, 4 * MANY);
    ts_descriptors_free(&table);
}
