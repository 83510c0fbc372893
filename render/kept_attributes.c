#include "render/kept_attributes.h"

#include "render/memory.h"

#include <stdlib.h>
#include <string.h>

struct ts_kept_attribute {
    struct ts_attribute attribute; /* a text or a list points to nothing: it lies at `begin` */
    size_t begin;                  /* of its bytes */
};

static bool is_text(const struct ts_value *value) {
    return value->kind == TS_VALUE_STRING || value->kind == TS_VALUE_WORD;
}

static void push_bytes(struct ts_kept_attributes *attributes, const void *bytes, size_t count) {
    size_t rounded = (count + sizeof(uint64_t) - 1) & ~(sizeof(uint64_t) - 1);
    attributes->bytes =
        ts_memory_grow(attributes->bytes, &attributes->bytes_capacity, attributes->bytes_used + rounded, 1);
    memcpy(attributes->bytes + attributes->bytes_used, bytes, count);
    attributes->bytes_used += rounded;
}

static size_t text_room(const char *text) {
    return (strlen(text) + sizeof(uint64_t)) & ~(sizeof(uint64_t) - 1);
}

void ts_kept_attributes_push(struct ts_kept_attributes *attributes, const struct ts_attribute *attribute) {
    const struct ts_value *value = &attribute->value;
    attributes->kept =
        ts_memory_grow(attributes->kept, &attributes->capacity, attributes->count + 1, sizeof *attributes->kept);
    attributes->kept[attributes->count++] = (struct ts_kept_attribute){*attribute, attributes->bytes_used};
    if (is_text(value))
        push_bytes(attributes, value->string, strlen(value->string) + 1);
    if (value->kind != TS_VALUE_LIST || value->list.count == 0)
        return;
    push_bytes(attributes, value->list.items, value->list.count * sizeof *value->list.items);
    for (size_t i = 0; i < value->list.count; i++)
        if (is_text(&value->list.items[i]))
            push_bytes(attributes, value->list.items[i].string, strlen(value->list.items[i].string) + 1);
}

struct ts_attribute ts_kept_attributes_at(const struct ts_kept_attributes *attributes, size_t index) {
    struct ts_attribute attribute = attributes->kept[index].attribute;
    struct ts_value *value = &attribute.value;
    int is_list = value->kind == TS_VALUE_LIST && value->list.count > 0;
    if (!is_text(value) && !is_list)
        return attribute; /* nothing of it is in `bytes` */
    char *at = attributes->bytes + attributes->kept[index].begin;
    if (!is_list) {
        value->string = at;
        return attribute;
    }
    struct ts_value *items = (struct ts_value *)(void *)at;
    value->list.items = items;
    at += value->list.count * sizeof *items;
    for (size_t i = 0; i < value->list.count; i++) {
        if (!is_text(&items[i]))
            continue;
        items[i].string = at;
        at += text_room(at);
    }
    return attribute;
}

void ts_kept_attributes_cut(struct ts_kept_attributes *attributes, size_t count) {
    if (count >= attributes->count)
        return;
    attributes->bytes_used = attributes->kept[count].begin;
    attributes->count = count;
}

void ts_kept_attributes_free(struct ts_kept_attributes *attributes) {
    free(attributes->kept);
    free(attributes->bytes);
    *attributes = (struct ts_kept_attributes){0};
}
