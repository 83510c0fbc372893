#include "collector/preamble.h"
#include "collector/trace_format.h"
#include "tests/unit/recorder/failing_system.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

static const uint32_t *word(const struct ts_preamble *preamble, uint64_t at) {
    cr_assert_eq(at % 4, 0);
    return (const uint32_t *)(preamble->bytes + at);
}

Test(preamble, metadata_is_padded_to_words) {
    struct ts_preamble preamble = {0};
    ts_preamble_add_metadata(&preamble, TS_METADATA_HOST, "five!", 5);
    ts_preamble_add_metadata(&preamble, TS_METADATA_NOTE, "", 0);
    cr_assert_eq(preamble.used, 12 + 8 + 12);
    const struct ts_record_metadata *record = (const struct ts_record_metadata *)preamble.bytes;
    cr_assert_eq(record->head, TS_HEAD(TS_RECORD_METADATA, 5));
    cr_assert_eq(record->key, TS_METADATA_HOST);
    cr_assert_eq(record->value_bytes, 5);
    cr_assert_eq(memcmp(record + 1, "five!\0\0\0", 8), 0);
    cr_assert_eq(*word(&preamble, 20), TS_HEAD(TS_RECORD_METADATA, 3));
    ts_preamble_free(&preamble);
    cr_assert_null(preamble.bytes);
}

Test(preamble, two_strings_each_begin_at_a_word) {
    struct ts_preamble preamble = {0};
    struct ts_record_load record = {.build_id_bytes = 3, .path_bytes = 6};
    ts_preamble_add(&preamble, TS_RECORD_LOAD, &record, sizeof record, "\1\2\3", 3, "/a/bcd", 6);
    cr_assert_eq(preamble.used, sizeof record + 4 + 8);
    cr_assert_eq(*word(&preamble, 0), TS_HEAD(TS_RECORD_LOAD, (sizeof record + 12) / 4));
    cr_assert_eq(memcmp(preamble.bytes + sizeof record, "\1\2\3\0/a/bcd\0\0", 12), 0);
    ts_preamble_free(&preamble);
}

Test(preamble, grows_without_losing_what_it_has) {
    struct ts_preamble preamble = {0};
    char value[1000];
    for (unsigned i = 0; i < 1000; i++) {
        memset(value, (int)(i % 251), sizeof value);
        ts_preamble_add_metadata(&preamble, 100 + i, value, i);
    }
    uint64_t at = 0;
    for (unsigned i = 0; i < 1000; i++) {
        const struct ts_record_metadata *record = (const struct ts_record_metadata *)word(&preamble, at);
        cr_assert_eq(record->key, 100 + i);
        cr_assert_eq(record->value_bytes, i);
        for (unsigned byte = 0; byte < i; byte++)
            cr_assert_eq(((const uint8_t *)(record + 1))[byte], i % 251);
        at += 4 * (uint64_t)TS_HEAD_WORDS(record->head);
    }
    cr_assert_eq(at, preamble.used);
    ts_preamble_free(&preamble);
}

Test(preamble, a_record_longer_than_its_head_can_say_is_left_out) {
    struct ts_preamble preamble = {0};
    uint32_t most = (TS_HEAD_MAX_WORDS - 3) * 4;
    char *value = calloc(1, most + 8);
    ts_preamble_add_metadata(&preamble, TS_METADATA_NOTE, value, most + 1);
    cr_assert_eq(preamble.used, 0);
    ts_preamble_add_metadata(&preamble, TS_METADATA_NOTE, value, most);
    cr_assert_eq(preamble.used, 4 * (uint64_t)TS_HEAD_MAX_WORDS);
    free(value);
    ts_preamble_free(&preamble);
}

Test(preamble, without_memory_records_are_left_out_whole) {
    struct ts_preamble preamble = {0};
    static char value[70000];
    failing_system_arm(1u << FAILING_MMAP, 1, 1, 12);
    ts_preamble_add_metadata(&preamble, TS_METADATA_NOTE, "a", 1);
    cr_assert_eq(preamble.used, 0);
    ts_preamble_add_metadata(&preamble, TS_METADATA_NOTE, "b", 1);
    failing_system_arm(1u << FAILING_MMAP, 1, 1, 12);
    ts_preamble_add_metadata(&preamble, TS_METADATA_NOTE, value, sizeof value);
    cr_assert_eq(preamble.used, 16);
    ts_preamble_add_metadata(&preamble, TS_METADATA_NOTE, "c", 1);
    cr_assert_eq(preamble.used, 32);
    cr_assert_eq(preamble.bytes[12], 'b');
    cr_assert_eq(preamble.bytes[28], 'c');
    ts_preamble_free(&preamble);
}
