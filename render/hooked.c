#include "render/hooked.h"

#include "render/memory.h"

#include <stdlib.h>
#include <string.h>

static bool is_descriptor(uint32_t kind) {
    return kind == TS_HOOK_fd || kind == TS_HOOK_dirfd || kind == TS_HOOK_file || kind == TS_HOOK_dir;
}

/* Appends `name` and `end` at *to, with a NUL. Returns where they stand. */
static const char *put_key(char **to, const char *name, size_t bytes, const char *end) {
    char *key = *to;
    memcpy(key, name, bytes);
    strcpy(key + bytes, end);
    *to += bytes + strlen(end) + 1;
    return key;
}

static void make_keys(struct ts_hooked *hooked) {
    const struct ts_hook_signature *parsed = &hooked->parsed;
    size_t room = parsed->label_bytes + 1u;
    for (uint32_t i = 0; i < parsed->argument_count; i++) {
        size_t keys = is_descriptor(parsed->arguments[i].kind) ? 5 : 1;
        room += keys * (parsed->arguments[i].name_bytes + sizeof ".local");
    }
    char *to = hooked->key_text = ts_memory_new(room, 1);
    hooked->arguments = ts_memory_new(parsed->argument_count, sizeof *hooked->arguments);
    if (parsed->label_bytes)
        hooked->label = put_key(&to, hooked->signature + parsed->label, parsed->label_bytes, "");
    for (uint32_t i = 0; i < parsed->argument_count; i++) {
        const char *name = hooked->signature + parsed->arguments[i].name;
        size_t bytes = parsed->arguments[i].name_bytes;
        hooked->arguments[i].name = put_key(&to, name, bytes, "");
        if (!is_descriptor(parsed->arguments[i].kind))
            continue;
        hooked->arguments[i].path = put_key(&to, name, bytes, ".path");
        hooked->arguments[i].peer = put_key(&to, name, bytes, ".peer");
        hooked->arguments[i].local = put_key(&to, name, bytes, ".local");
        hooked->arguments[i].type = put_key(&to, name, bytes, ".type");
    }
}

struct ts_hooked *ts_hooked_new(const char *symbol, const char *signature, const char *pack, uint32_t flags) {
    size_t bytes = strlen(symbol) + strlen(signature) + strlen(pack) + 3;
    struct ts_hooked *hooked = ts_memory_new(1, sizeof *hooked + bytes);
    char *to = hooked->text;
    hooked->symbol = put_key(&to, symbol, strlen(symbol), "");
    hooked->signature = put_key(&to, signature, strlen(signature), "");
    hooked->pack = put_key(&to, pack, strlen(pack), "");
    hooked->flags = flags;
    const char *problem;
    size_t at;
    if (!*signature || ts_hook_signature_parse(&hooked->parsed, hooked->signature, strlen(signature), &problem, &at))
        hooked->parsed = (struct ts_hook_signature){.result = -1};
    make_keys(hooked);
    return hooked;
}

void ts_hooked_free(struct ts_hooked *hooked) {
    if (!hooked)
        return;
    free(hooked->arguments);
    free(hooked->key_text);
    free(hooked);
}

bool ts_hooked_is(const struct ts_hooked *hooked, const char *symbol, const char *signature, const char *pack,
                  uint32_t flags) {
    return hooked->flags == flags && !strcmp(hooked->symbol, symbol) && !strcmp(hooked->signature, signature) &&
           !strcmp(hooked->pack, pack);
}
