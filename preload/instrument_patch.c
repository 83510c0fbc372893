#include "preload/instrument_patch.h"
#include "collector/clock.h"
#include "collector/recorder.h"
#include "collector/text.h"
#include "preload/function_filter.h"
#include "preload/instrument.h"
#include "preload/real.h"

#include <dlfcn.h>

#define ENTER_NAME "__cyg_profile_func_enter"
#define EXIT_NAME "__cyg_profile_func_exit"

/* What a slot may hold when it is ours to change; set at start. */
static uint64_t libc_low, libc_high;

int ts_instrument_patch_wants(const struct ts_elf_object *object) {
    return ts_elf_object_undefined(object, ENTER_NAME) != 0;
}

void ts_instrument_patch_note_libc(const struct ts_elf_object *object, const char *path) {
    const char *file = path;
    for (const char *at = path; *at; at++)
        if (*at == '/')
            file = at + 1;
    if (ts_text_begins(file, "libc.so") || ts_text_begins(file, "libc-") || ts_text_begins(file, "libc.musl")) {
        libc_low = object->low;
        libc_high = object->high;
    }
}

int ts_instrument_patch_program_has_hooks(void) {
    uint64_t found = ts_real(dlsym) ? (uint64_t)ts_real(dlsym)(RTLD_DEFAULT, ENTER_NAME) : 0;
    return found && found != (uint64_t)ts_instrument_nothing && !(found >= libc_low && found < libc_high);
}

struct patch {
    struct ts_module *module;
    const struct ts_elf_object *object;
    uint64_t replacement;
    uint64_t replaced; /* what was put there for the processor's counter, should that be forbidden */
    struct ts_modules_summary *summary;
    int not_yet; /* the loader is still at work on the object, in another thread's dlopen */
};

/*
 * A slot is ours to change when it leads to nothing: to the exported stub, to libc's empty function, or (not bound yet)
 * to the object's own linkage table. Bound to anything else, the program brings its own hooks.
 */
static void patch_slot(void *context, uint64_t *slot) {
    struct patch *patch = context;
    uint64_t now = __atomic_load_n(slot, __ATOMIC_ACQUIRE);
    if (now == patch->replacement)
        return;
    /* Not relocated yet: the loader would add its base to what we write, or find the page read-only after us. */
    if (now < patch->object->low && now < patch->object->high - patch->object->low) {
        patch->not_yet = 1;
        return;
    }
    if (now != (uint64_t)ts_instrument_nothing && now != patch->replaced && !(now >= libc_low && now < libc_high) &&
        !(now >= patch->object->low && now < patch->object->high)) {
        patch->summary->own_hooks = 1;
        return;
    }
    switch (ts_elf_object_store(patch->object, slot, patch->replacement)) {
    case TS_STORE_REFUSED:
        patch->summary->refused++;
        patch->module->slots_refused++;
        break;
    case TS_STORE_NOT_YET:
        patch->not_yet = 1;
        break;
    case TS_STORE_DONE:
        patch->module->slots_patched += now != patch->replaced;
        break;
    }
}

int ts_instrument_patch_module(struct ts_module *module, struct ts_modules_summary *summary) {
    const struct ts_elf_object *object = &module->object;
    uint32_t enter = ts_elf_object_undefined(object, ENTER_NAME), leave = ts_elf_object_undefined(object, EXIT_NAME);
    int limited =
        ts_function_filter_is_on() || ts_recorder_limits.depth != UINT64_MAX || ts_recorder_limits.duration_ticks;
    int wide = (module->flags & TS_LOAD_WIDE) != 0;
    struct ts_instrument_hooks hooks = ts_instrument_choose(ts_clock_source, limited, wide),
                               before = ts_instrument_choose(TS_CLOCK_SOURCE_CPU, limited, wide);
    struct patch patch = {.module = module, .object = object, .summary = summary};
    patch.replacement = (uint64_t)hooks.enter;
    patch.replaced = (uint64_t)before.enter;
    if (enter)
        ts_elf_object_slots(object, enter, patch_slot, &patch);
    patch.replacement = (uint64_t)hooks.exit;
    patch.replaced = (uint64_t)before.exit;
    if (leave)
        ts_elf_object_slots(object, leave, patch_slot, &patch);
    return patch.not_yet;
}
