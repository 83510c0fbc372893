/*
 * What a renderer might answer about the functions of a module, and the filter of calls that is made of it. The part
 * under test is included, to take back what it keeps as long as a program runs.
 */
#include "preload/function_filter.c"

#include "preload/function_lines.h"
#include "tests/fuzz/fuzz.h"

#include <stdlib.h>
#include <string.h>

#define BIAS UINT64_C(0x7f0000000000)
#define CODE_BYTES 0x10000
enum { MOST = 1024 };

static uint64_t whole[MOST];

static void forget(void) {
    places = NULL; /* what is kept stays, 48 bytes */
    memset(ts_function_filter_mixed, 0, sizeof ts_function_filter_mixed);
}

/* The first byte says how long pieces are. */
static struct ts_function_list *read_list(const uint8_t *data, size_t size) {
    struct ts_function_list *list = calloc(1, sizeof *list + MOST * sizeof *list->functions);
    struct ts_function_lines lines = {.functions = whole, .capacity = MOST};
    struct ts_function_lines pieces = {.functions = list->functions, .capacity = MOST};
    const char *text = (const char *)data + 1;
    size_t left = size - 1, piece = 1 + data[0] % 64;
    ts_function_lines_read(&lines, text, left);
    for (; left > piece; left -= piece, text += piece)
        ts_function_lines_read(&pieces, text, piece);
    ts_function_lines_read(&pieces, text, left);
    if (ts_function_lines_end(&lines) != ts_function_lines_end(&pieces) || lines.count != pieces.count ||
        lines.count > MOST || memcmp(whole, list->functions, lines.count * sizeof *whole) != 0)
        __builtin_trap();
    list->count = ts_function_lines_end(&lines) == 0 ? lines.count : 0;
    return list;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    if (!size)
        return 0;
    struct ts_function_list *list = read_list(data, size);
    ts_function_filter_begin(data[0] & 1 ? "-a" : "a", 1);
    ts_function_filter_add(list, BIAS, BIAS, BIAS + CODE_BYTES, selects_unknown);
    for (uint64_t i = 0; i < list->count; i++) {
        uint64_t address = list->functions[i] >> 1;
        if (address < CODE_BYTES && ts_function_filter_wants(BIAS + address) != (int)(list->functions[i] & 1))
            __builtin_trap();
    }
    forget();
    free(list);
    return 0;
}
