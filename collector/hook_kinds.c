#include "collector/hook_signature.h"

static const struct {
    const char *name;
    const char *meaning;
    uint8_t store;
    uint8_t type;
} kinds[] = {
#define KIND(name, store, type, meaning) {#name, meaning, TS_ARGUMENT_##store, TS_HOOK_TYPE_##type},
#include "collector/hook_kinds.def"
#undef KIND
};

enum ts_argument_store ts_hook_kind_store(uint32_t kind) {
    return kind < TS_HOOK_KINDS ? kinds[kind].store : TS_ARGUMENT_NONE;
}

enum ts_hook_type ts_hook_kind_type(uint32_t kind) {
    return kind < TS_HOOK_KINDS ? kinds[kind].type : TS_HOOK_TYPE_ANY;
}

const char *ts_hook_kind_name(uint32_t kind) {
    return kind < TS_HOOK_KINDS ? kinds[kind].name : "?";
}

const char *ts_hook_kind_meaning(uint32_t kind) {
    return kind < TS_HOOK_KINDS ? kinds[kind].meaning : "";
}
