/* Messages byte by byte, as the encoding's documentation tells them. */
#include "render/protobuf.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

static void expect(struct ts_protobuf *message, const char *bytes, size_t count) {
    cr_assert_eq(message->used, count);
    cr_expect_arr_eq(message->bytes, bytes, count);
    ts_protobuf_free(message);
}
#define EXPECT(message, literal) expect(message, literal, sizeof literal - 1)

Test(protobuf, numbers) {
    struct ts_protobuf message = {0};
    ts_protobuf_number(&message, 1, 150);
    ts_protobuf_number(&message, 16, 0);
    ts_protobuf_number(&message, 2, UINT64_MAX);
    EXPECT(&message, "\x08\x96\x01\x80\x01\x00\x10\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01");
}

Test(protobuf, fixed_and_real) {
    struct ts_protobuf message = {0};
    ts_protobuf_fixed64(&message, 1, 0x0102030405060708);
    ts_protobuf_real(&message, 2, 1.0);
    EXPECT(&message, "\x09\x08\x07\x06\x05\x04\x03\x02\x01\x11\0\0\0\0\0\0\xf0\x3f");
}

Test(protobuf, text_is_made_utf8) {
    struct ts_protobuf message = {0};
    ts_protobuf_text(&message, 2, "testing");
    ts_protobuf_text(&message, 2, "a\xff\xc3\xa4");
    ts_protobuf_text(&message, 2, "");
    EXPECT(&message, "\x12\x07testing\x12\x06"
                     "a\xef\xbf\xbd\xc3\xa4\x12\x00");
}

Test(protobuf, nested_lengths) {
    struct ts_protobuf message = {0};
    char text[200];
    memset(text, 'x', sizeof text);
    size_t outer = ts_protobuf_begin(&message, 3);
    size_t inner = ts_protobuf_begin(&message, 1);
    ts_protobuf_bytes(&message, 1, text, sizeof text);
    ts_protobuf_end(&message, inner);
    ts_protobuf_number(&message, 2, 1);
    ts_protobuf_end(&message, outer);
    cr_assert_eq(message.used, 1 + 2 + 1 + 2 + 1 + 2 + 200 + 2);
    cr_expect_arr_eq(message.bytes, "\x1a\xd0\x01\x0a\xcb\x01\x0a\xc8\x01xx", 11);
    cr_expect_arr_eq(message.bytes + message.used - 3, "x\x10\x01", 3);
    ts_protobuf_free(&message);
}
