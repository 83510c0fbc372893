/*
 * Mutates traces without losing what makes them traces: magic numbers and sizes are put right again (but for one in
 * eight, so that the checks of those are tried too), records are put in, taken out and doubled as a whole.
 */
#include "collector/trace_format.h"
#include "tests/fuzz/fuzz.h"

#include <string.h>

enum { PIECES_MOST = 64, RECORD_WORDS_MOST = 64, TEXTS = 8 };

struct piece {
    uint8_t *data; /* inside the input; its head lies before it */
    uint32_t bytes;
    uint64_t offset;
};

struct pieces {
    struct piece items[PIECES_MOST];
    uint32_t count;
    uint8_t *start;
    size_t size;
    size_t room;
};

static void find_pieces(struct pieces *pieces) {
    uint32_t head[2];
    size_t at = 0;
    pieces->count = 0;
    while (pieces->count < PIECES_MOST && pieces->size - at > sizeof head) {
        memcpy(head, pieces->start + at, sizeof head);
        at += sizeof head;
        if (head[1] & FUZZ_PIECE_SIZE)
            continue;
        size_t left = pieces->size - at;
        uint32_t bytes = head[1] < left ? head[1] : (uint32_t)left;
        pieces->items[pieces->count++] = (struct piece){pieces->start + at, bytes, (uint64_t)head[0] * FUZZ_PIECE_UNIT};
        at += bytes;
    }
}

static void set_bytes(struct piece *piece, uint32_t bytes) {
    piece->bytes = bytes;
    memcpy(piece->data - sizeof(uint32_t), &bytes, sizeof bytes);
}

/* Makes `grow` bytes of room at `at` of a piece, or takes -grow away. 0, or -1: there is no room. */
static int resize(struct pieces *pieces, struct piece *piece, uint32_t at, int32_t grow) {
    uint8_t *from = piece->data + at + (grow < 0 ? -grow : 0);
    size_t behind = (size_t)(pieces->start + pieces->size - from);
    if (grow > 0 && pieces->size + (size_t)grow > pieces->room)
        return -1;
    memmove(from + grow, from, behind);
    pieces->size += (size_t)(int64_t)grow;
    set_bytes(piece, piece->bytes + (uint32_t)grow);
    return 0;
}

/* Text that would do something to a terminal or to JSON. */
static const char *const texts[TEXTS] = {
    "\033]0;x\a\033[2J",
    "\342\200\256\330\234", /* right to left */
    "\302\23331m",          /* CSI in one character */
    "\"},{\\",
    "\377\376\355\240\200", /* no UTF-8 */
    "\r\n\t\177",
    "\342\200\250\357\273\277", /* line separator, mark of byte order */
    "a/b c",
};

/* A record of a type that exists, of about its size, behind a word boundary. */
static void insert_record(struct pieces *pieces, struct piece *piece, struct fuzz_random *random) {
    uint32_t record[RECORD_WORDS_MOST], words = 1 + fuzz_random_below(random, 16);
    uint32_t at = fuzz_random_below(random, piece->bytes / 4 + 1) * 4;
    for (uint32_t i = 1; i < words; i++)
        record[i] = (uint32_t)fuzz_random_number(random);
    if (fuzz_random_below(random, 2)) { /* its last words are a text, whose length may stand before */
        const char *text = texts[fuzz_random_below(random, TEXTS)];
        uint32_t bytes = (uint32_t)strlen(text), before = words;
        words += (bytes + 3) / 4;
        record[words - 1] = 0;
        memcpy(record + before, text, bytes);
        record[before - 1 - fuzz_random_below(random, before)] = bytes;
    }
    record[0] = TS_HEAD(1 + fuzz_random_below(random, 43), words);
    if (resize(pieces, piece, at, (int32_t)(words * 4)) == 0)
        memcpy(piece->data + at, record, words * 4);
}

static void copy_words(struct pieces *pieces, struct piece *piece, struct fuzz_random *random, int keep) {
    uint8_t copy[256];
    uint32_t words = piece->bytes / 4, count = 1 + fuzz_random_below(random, sizeof copy / 4);
    if (words < count)
        return;
    uint32_t from = fuzz_random_below(random, words - count + 1) * 4;
    memcpy(copy, piece->data + from, count * 4);
    if (!keep && resize(pieces, piece, from, -(int32_t)(count * 4)) != 0)
        return;
    if (keep && resize(pieces, piece, from, (int32_t)(count * 4)) == 0)
        memcpy(piece->data + from, copy, count * 4);
}

/* Puts another text, or a part of one, over bytes that stand there. */
static void put_text(struct piece *piece, struct fuzz_random *random) {
    const char *text = texts[fuzz_random_below(random, TEXTS)];
    uint32_t bytes = (uint32_t)strlen(text);
    if (bytes < piece->bytes)
        memcpy(piece->data + fuzz_random_below(random, piece->bytes - bytes), text, bytes);
}

static void mutate_bytes(struct pieces *pieces, struct piece *piece) {
    uint8_t copy[4096];
    if (piece->bytes > sizeof copy)
        return;
    memcpy(copy, piece->data, piece->bytes);
    uint32_t bytes = (uint32_t)LLVMFuzzerMutate(copy, piece->bytes, sizeof copy);
    if (resize(pieces, piece, 0, (int32_t)(bytes - piece->bytes)) == 0)
        memcpy(piece->data, copy, bytes);
}

/* As it is, at another place: one more window, or one in the place of another. */
static void move_piece(struct piece *piece, struct fuzz_random *random) {
    uint32_t unit = (uint32_t)(piece->offset / FUZZ_PIECE_UNIT);
    unit += (fuzz_random_below(random, 9) - 4u) * (TS_WINDOW_STEP / FUZZ_PIECE_UNIT);
    memcpy(piece->data - 2 * sizeof unit, &unit, sizeof unit);
    piece->offset = (uint64_t)unit * FUZZ_PIECE_UNIT;
}

static void repair_header(struct piece *piece, struct ts_file_header *header) {
    header->magic = TS_TRACE_MAGIC;
    header->version_major = TS_VERSION_MAJOR;
    header->byte_order = TS_BYTE_ORDER;
    header->header_bytes = sizeof *header;
    header->incompatible_features = 0;
    memset(header->boot_id, 0, sizeof header->boot_id); /* else the present time counts */
    if (header->block_bytes < TS_WINDOW_STEP || header->block_bytes & (header->block_bytes - 1))
        header->block_bytes = TS_WINDOW_STEP * 4;
    if (header->block_count == 0 || header->block_count > UINT32_MAX)
        header->block_count = 64;
    if (header->first_block == 0 || header->first_block > header->block_count)
        header->first_block = 1;
    header->file_bytes = header->block_count * header->block_bytes;
    if (header->clock_kind < TS_CLOCK_TSC || header->clock_kind > TS_CLOCK_MONOTONIC)
        header->clock_kind = TS_CLOCK_MONOTONIC;
    memcpy(piece->data, header, sizeof *header);
}

static void repair_window(struct piece *piece, const struct ts_file_header *file, uint32_t number) {
    struct ts_window_header window;
    memcpy(&window, piece->data, sizeof window);
    window.magic = TS_WINDOW_MAGIC;
    window.offset = piece->offset;
    if (!window.sequence)
        window.sequence = number;
    uint64_t most = file->block_bytes - piece->offset % file->block_bytes;
    if (window.bytes > most || window.bytes < sizeof window)
        window.bytes = (uint32_t)(most < TS_WINDOW_STEP ? most : TS_WINDOW_STEP);
    window.header_bytes = sizeof window;
    window.open_call_bytes = sizeof(struct ts_open_call);
    uint64_t records = sizeof window + (uint64_t)window.open_count * sizeof(struct ts_open_call);
    if (records > window.bytes) {
        window.open_count = 0;
        records = sizeof window;
    }
    if (window.records < records || window.records > window.bytes || window.records % 4)
        window.records = (uint32_t)records;
    if (window.open_count > window.depth)
        window.depth = window.open_count;
    if (window.end_bytes && (window.end_bytes < window.records || window.end_bytes > window.bytes))
        window.end_bytes = 0;
    window.process += !window.process;
    window.flags = (uint16_t)((window.flags & ~TS_WINDOW_CONTROL) | (window.thread ? 0 : TS_WINDOW_CONTROL));
    memcpy(piece->data, &window, sizeof window);
}

static void repair(struct pieces *pieces) {
    struct ts_file_header header;
    find_pieces(pieces);
    if (!pieces->count || pieces->items[0].bytes < sizeof header || pieces->items[0].offset)
        return;
    memcpy(&header, pieces->items[0].data, sizeof header);
    repair_header(&pieces->items[0], &header);
    for (uint32_t i = 1; i < pieces->count; i++) {
        struct piece *piece = &pieces->items[i];
        if (piece->bytes >= sizeof(struct ts_window_header) && piece->offset % TS_WINDOW_STEP == 0 &&
            piece->offset >= header.first_block * header.block_bytes)
            repair_window(piece, &header, i);
    }
}

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max_size, unsigned seed) {
    struct fuzz_random random = {seed};
    struct pieces pieces = {.start = data, .size = size, .room = max_size};
    find_pieces(&pieces);
    if (!pieces.count || fuzz_random_below(&random, 16) == 0)
        return LLVMFuzzerMutate(data, size, max_size);
    struct piece *piece = &pieces.items[fuzz_random_below(&random, pieces.count)];
    switch (fuzz_random_below(&random, 12)) {
    case 0:
    case 1:
        insert_record(&pieces, piece, &random);
        break;
    case 2:
    case 3:
        copy_words(&pieces, piece, &random, fuzz_random_below(&random, 2) == 0);
        break;
    case 4:
        move_piece(piece, &random);
        break;
    case 5:
        put_text(piece, &random);
        break;
    case 6:
    case 7:
    case 8:
        mutate_bytes(&pieces, piece);
        break;
    default:
        fuzz_mutate_word(&random, piece->data, piece->bytes);
        break;
    }
    if (fuzz_random_below(&random, 8))
        repair(&pieces);
    return pieces.size;
}
