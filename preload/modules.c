#include "preload/modules.h"
#include "collector/clock.h"
#include "collector/control.h"
#include "collector/kept_memory.h"
#include "collector/placement.h"
#include "collector/recorder.h"
#include "collector/system.h"
#include "collector/text.h"
#include "collector/trace_format.h"
#include "preload/coverage.h"
#include "preload/elf_object.h"
#include "preload/frame.h"
#include "preload/function_filter.h"
#include "preload/hook_patch.h"
#include "preload/hook_window.h"
#include "preload/hooks.h"
#include "preload/instrument_patch.h"
#include "preload/loader_hooks.h"
#include "preload/module.h"
#include "preload/module_slots.h"
#include "preload/real.h"
#include "preload/unseen.h"

#include <dlfcn.h>
#include <sys/mman.h>
#include <unistd.h>

#define SCAN_PATIENCE_NS 20000000u
/* How often a scan begins anew since objects have come or gone between its two looks. */
#define SCAN_ROUNDS 20

/* Changed only under the loader's lock. */
static struct {
    struct ts_module *all;
    struct ts_module **in_order; /* in the order of search as of the last scan */
    uint32_t count;
    uint32_t capacity;
    uint32_t generation;
    uint32_t scan;
    uint32_t ordered;
    uint64_t adds; /* the loader's counters at the last scan */
    uint64_t subs;
} modules;

static struct ts_module *append(void) {
    for (uint32_t i = 0; i < modules.count; i++)
        if (!modules.all[i].mapped)
            return &modules.all[i];
    if (modules.count == modules.capacity) {
        uint64_t capacity = modules.capacity ? 2 * (uint64_t)modules.capacity : 128;
        int64_t bytes = ts_system_mmap(NULL, capacity * (sizeof *modules.all + sizeof *modules.in_order),
                                       PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        if (ts_system_failed(bytes))
            return NULL;
        struct ts_module **in_order = (struct ts_module **)bytes;
        struct ts_module *all = (struct ts_module *)(in_order + capacity);
        for (uint32_t i = 0; i < modules.count; i++)
            all[i] = modules.all[i];
        for (uint32_t i = 0; i < modules.ordered; i++)
            in_order[i] = all + (modules.in_order[i] - modules.all);
        modules.in_order = in_order;
        __atomic_store_n(&modules.all, all, __ATOMIC_RELEASE); /* the old array stays for whoever reads it */
        modules.capacity = (uint32_t)capacity;
    }
    struct ts_module *added = &modules.all[modules.count];
    __atomic_store_n(&modules.count, modules.count + 1, __ATOMIC_RELEASE);
    return added;
}

/* For those who read without the lock, the generation tells whether what they read belongs together. */
static void fill(struct ts_module *module, const struct ts_elf_object *object, uint64_t identity, uint32_t flags,
                 const char *path) {
    const char *file = path;
    for (const char *at = path; *at; at++)
        if (*at == '/')
            file = at + 1;
    __atomic_store_n(&module->generation, 0, __ATOMIC_RELAXED);
    __atomic_thread_fence(__ATOMIC_RELEASE);
    *module = (struct ts_module){
        .object = *object,
        .identity = identity,
        .path = path,
        .file = file,
        .flags = flags,
        .mapped = 1,
        .is_shim = (uint64_t)&modules - object->low < object->high - object->low,
    };
    __atomic_store_n(&module->generation, ++modules.generation, __ATOMIC_RELEASE);
}

/* Paths are kept for good, once each: a library that is loaded again and again takes no more memory. */
static const char *keep_path(const char *path) {
    for (uint32_t i = 0; i < modules.count; i++)
        if (modules.all[i].path && ts_text_equal(modules.all[i].path, path))
            return modules.all[i].path;
    return ts_kept_text(path, ts_text_length(path));
}

static uint64_t identity_of(const char *path, const struct ts_elf_object *object) {
    uint64_t hash = UINT64_C(0xcbf29ce484222325); /* FNV-1a */
    for (; *path; path++)
        hash = (hash ^ (uint8_t)*path) * UINT64_C(0x100000001b3);
    for (uint32_t i = 0; i < object->build_id_bytes; i++)
        hash = (hash ^ object->build_id[i]) * UINT64_C(0x100000001b3);
    return hash;
}

/* Addresses are recorded by their low 32 bits: two modules that share some of those need all bits. */
static int overlaps(const struct ts_elf_object *object) {
    uint64_t bytes = object->high - object->low;
    for (uint32_t i = 0; i < modules.count; i++) {
        const struct ts_module *other = &modules.all[i];
        if (!other->mapped || other->object.low == object->low)
            continue;
        if ((uint32_t)(object->low - other->object.low) < other->object.high - other->object.low ||
            (uint32_t)(other->object.low - object->low) < bytes)
            return 1;
    }
    return bytes >> 32 != 0;
}

/* Static, not on the stack, which may be that of a small thread: scans run under the loader's lock, one at a time. */
TS_LARGE_TABLE static char path_buffer[4096], directory[4096];

static void full_path(const struct dl_phdr_info *info, struct ts_text *path, int is_program) {
    const char *name = info->dlpi_name ? info->dlpi_name : "";
    if (is_program) {
        int64_t bytes = ts_system_readlink("/proc/self/exe", path->start, path->size - 1);
        path->used = bytes > 0 ? (size_t)bytes : 0;
        path->start[path->used] = 0;
        return;
    }
    if (name[0] && name[0] != '/' && !ts_text_begins(name, "linux-")) {
        int64_t bytes = ts_system_readlink("/proc/self/cwd", directory, sizeof directory);
        if (bytes > 0) {
            ts_text_add_bytes(path, directory, (size_t)bytes);
            ts_text_add(path, "/");
        }
        while (ts_text_begins(name, "./"))
            name += 2;
    }
    ts_text_add(path, name[0] && name[0] != '/' && ts_text_begins(name, "linux-") ? "[vdso]" : name);
}

static void record(const struct ts_module *module, const struct ts_elf_object *object, const struct ts_text *path,
                   struct ts_preamble *preamble) {
    uint64_t clock = ts_clock_now();
    struct ts_record_load load = {
        .clock = {(uint32_t)clock, (uint32_t)(clock >> 32)},
        .bias = {(uint32_t)module->object.bias, (uint32_t)(module->object.bias >> 32)},
        .low = {(uint32_t)module->object.low, (uint32_t)(module->object.low >> 32)},
        .high = {(uint32_t)module->object.high, (uint32_t)(module->object.high >> 32)},
        .generation = module->generation,
        .flags = module->flags,
        .build_id_bytes = object->build_id_bytes,
        .path_bytes = (uint32_t)path->used,
    };
    if (preamble)
        ts_preamble_add(preamble, TS_RECORD_LOAD, &load, sizeof load, object->build_id, load.build_id_bytes,
                        path->start, load.path_bytes);
    else
        ts_control_write(TS_RECORD_LOAD, &load, sizeof load, object->build_id, load.build_id_bytes, path->start,
                         load.path_bytes);
}

static void record_gone(const struct ts_module *module) {
    uint64_t clock = ts_clock_now();
    struct ts_record_unload unload = {
        .clock = {(uint32_t)clock, (uint32_t)(clock >> 32)},
        .low = {(uint32_t)module->object.low, (uint32_t)(module->object.low >> 32)},
        .generation = module->generation,
    };
    ts_control_write(TS_RECORD_UNLOAD, &unload, sizeof unload, NULL, 0, NULL, 0);
}

static struct ts_module *find(const struct ts_elf_object *object, uint64_t identity) {
    for (uint32_t i = 0; i < modules.count; i++) {
        struct ts_module *module = &modules.all[i];
        if (module->mapped && module->object.low == object->low && module->identity == identity)
            return module;
    }
    return NULL;
}

struct scan {
    struct ts_preamble *preamble; /* NULL: recording runs */
    struct ts_modules_summary *summary;
    uint32_t objects;
    int left;    /* some module could not be patched yet */
    int changed; /* objects have come or gone between the two looks */
};

static int visit(struct dl_phdr_info *info, size_t bytes, void *context) {
    struct scan *scan = context;
    struct ts_elf_object object;
    struct ts_text path = TS_TEXT_IN(path_buffer);
    path_buffer[0] = 0;
    if (bytes >= offsetof(struct dl_phdr_info, dlpi_tls_modid)) {
        if (!scan->objects && !scan->preamble && info->dlpi_adds == modules.adds && info->dlpi_subs == modules.subs)
            return 1; /* nothing has changed */
        if (!scan->objects) {
            modules.adds = info->dlpi_adds;
            modules.subs = info->dlpi_subs;
        }
    }
    int is_program = scan->objects++ == 0;
    if (is_program) {
        modules.scan++;
        modules.ordered = 0;
    }
    int dynamic = ts_elf_object_read(&object, info) == 0;
    if (object.low == object.high)
        return 0;
    full_path(info, &path, is_program);
    uint64_t identity = identity_of(path_buffer, &object);
    struct ts_module *module = find(&object, identity);
    if (!module) {
        int wide = overlaps(&object);
        if (wide && ts_hook_stub_address(0) - object.low < object.high - object.low)
            ts_hooks_overlap = 1;
        const char *kept = keep_path(path_buffer);
        module = append();
        if (!module)
            return 0;
        fill(module, &object, identity, (is_program ? TS_LOAD_EXECUTABLE : 0) | (wide ? TS_LOAD_WIDE : 0), kept);
        module->is_initial = scan->preamble != NULL;
        module->deep = !scan->preamble && ts_loader_flags & RTLD_DEEPBIND;
        if (ts_text_equal(path_buffer, "[vdso]"))
            module->flags |= TS_LOAD_VDSO;
        else if (dynamic)
            ts_instrument_patch_note_libc(&object, path_buffer);
        if (dynamic && ts_instrument_patch_wants(&object)) {
            module->flags |= TS_LOAD_INSTRUMENTED;
            scan->summary->instrumented++;
            if (!scan->preamble)
                ts_frame_forget(object.low, object.high);
            if (ts_function_filter_is_on() && ts_function_filter_add_module(module) < 0)
                scan->summary->nameless++;
        }
        ts_coverage_add_module(module);
        scan->summary->modules++;
        record(module, &object, &path, scan->preamble);
    }
    module->seen = modules.scan;
    modules.in_order[modules.ordered++] = module;
    return 0;
}

/* Whatever the loader's counters say, there is something left to do. */
static void come_again(void) {
    modules.adds = UINT64_MAX;
    __atomic_store_n(&ts_loader_pending, 1, __ATOMIC_RELEASE);
}

/* Everything in the loader's first call back: its lock is held, and nothing goes while we look into the others. */
static int patch_all(struct dl_phdr_info *info, size_t bytes, void *context) {
    struct scan *scan = context;
    if (bytes >= offsetof(struct dl_phdr_info, dlpi_tls_modid) &&
        (info->dlpi_adds != modules.adds || info->dlpi_subs != modules.subs)) {
        scan->changed = 1;
        return 1;
    }
    for (uint32_t i = 0; i < modules.ordered; i++) {
        struct ts_module *module = modules.in_order[i];
        if (module->patched || module->flags & TS_LOAD_VDSO)
            continue;
        if (scan->preamble) {
            ts_hook_patch_module(module, 1);
            continue;
        }
        int again = module->flags & TS_LOAD_INSTRUMENTED && ts_instrument_patch_module(module, scan->summary);
        enum ts_hook_patch_result hooked = ts_hook_patch_module(module, 0);
        scan->summary->refused += hooked == TS_HOOK_PATCH_REFUSED;
        module->patched = !again && hooked != TS_HOOK_PATCH_NOT_YET;
        if (module->patched && module->slots_refused)
            ts_unseen(module->path, "its calls cannot be redirected, for its pages cannot be made writable (mprotect)");
        scan->left |= !module->patched;
    }
    return 1;
}

static int scanning;

/*
 * Whoever comes meanwhile waits, but not for ever: it may hold the loader's lock (a constructor under dlopen), which
 * the scan waits for. Then it is left to the next occasion.
 */
int ts_modules_lock(void) {
    uint64_t start = ts_system_nanoseconds(CLOCK_MONOTONIC);
    while (__atomic_exchange_n(&scanning, 1, __ATOMIC_ACQUIRE)) {
        if (ts_system_nanoseconds(CLOCK_MONOTONIC) - start > SCAN_PATIENCE_NS && !ts_function_list_is_awaited()) {
            __atomic_store_n(&ts_loader_pending, 1, __ATOMIC_RELEASE);
            return 0;
        }
        ts_system_yield();
    }
    return 1;
}

void ts_modules_unlock(void) {
    __atomic_store_n(&scanning, 0, __ATOMIC_RELEASE);
}

static void note_gone(const struct ts_preamble *preamble) {
    for (uint32_t i = 0; !preamble && i < modules.count; i++) {
        struct ts_module *module = &modules.all[i];
        if (module->mapped && module->seen != modules.scan) {
            module->mapped = 0;
            ts_hooks_forget(module->object.low, module->object.high);
            ts_module_slots_record(module);
            ts_hook_window_forget(module->object.low, module->object.high);
            ts_coverage_forget(&module->object);
            record_gone(module);
        }
    }
}

static void scan_objects(struct ts_preamble *preamble, struct ts_modules_summary *summary) {
    if (!ts_modules_lock())
        return;
    struct scan scan = {.preamble = preamble, .summary = summary, .changed = 1};
    ts_hooks_preamble = preamble;
    for (int round = 0; scan.changed && round < SCAN_ROUNDS; round++) {
        scan.changed = scan.left = 0;
        scan.objects = 0;
        dl_iterate_phdr(visit, &scan);
        if (!scan.objects)
            break; /* nothing has changed since the last scan */
        note_gone(preamble);
        dl_iterate_phdr(patch_all, &scan);
    }
    ts_hooks_preamble = NULL;
    if (scan.left || scan.changed)
        come_again();
    ts_modules_unlock();
}

void ts_modules_begin(struct ts_preamble *preamble, struct ts_modules_summary *summary) {
    scan_objects(preamble, summary);
}

void ts_modules_patch(struct ts_modules_summary *summary) {
    summary->own_hooks = ts_instrument_patch_program_has_hooks();
    modules.adds = UINT64_MAX;
    scan_objects(NULL, summary);
}

void ts_modules_rescan(void) {
    struct ts_modules_summary summary = {0};
    scan_objects(NULL, &summary);
    if (summary.nameless)
        ts_unseen("instrumented calls", TS_MODULES_NAMELESS);
}

void ts_modules_patch_again(void) {
    if (!ts_modules_lock())
        return;
    for (uint32_t i = 0; i < modules.count; i++)
        modules.all[i].patched &= !(modules.all[i].flags & TS_LOAD_INSTRUMENTED);
    modules.adds = UINT64_MAX;
    ts_modules_unlock();
    ts_modules_rescan();
}

const struct ts_module *ts_module_at(uint64_t address) {
    for (uint32_t i = 0; i < modules.count; i++)
        if (modules.all[i].mapped &&
            address - modules.all[i].object.low < modules.all[i].object.high - modules.all[i].object.low)
            return &modules.all[i];
    return NULL;
}

const struct ts_module *ts_module_known(uint32_t index) {
    return index < modules.count ? &modules.all[index] : NULL;
}

int ts_modules_holds(uint64_t address) {
    return ts_module_at(address) != NULL;
}

const struct ts_module *ts_module_in_order(uint32_t index) {
    return index < modules.ordered ? modules.in_order[index] : NULL;
}

uint32_t ts_modules_generation(void) {
    return __atomic_load_n(&modules.generation, __ATOMIC_RELAXED);
}

void ts_modules_opened(const struct link_map *handle, uint32_t before) {
    if (!ts_modules_lock())
        return;
    for (uint32_t i = 0; i < modules.count; i++) {
        struct ts_module *module = &modules.all[i];
        if (module->mapped && module->object.bias == handle->l_addr && module->generation > before)
            module->opened = handle;
    }
    ts_modules_unlock();
}

int ts_modules_unwind_table(uint64_t address, struct ts_unwind_table *table) {
    uint32_t count = __atomic_load_n(&modules.count, __ATOMIC_ACQUIRE), newest = 0;
    const struct ts_module *all = __atomic_load_n(&modules.all, __ATOMIC_ACQUIRE);
    for (uint32_t i = 0; i < count; i++) {
        uint32_t generation = __atomic_load_n(&all[i].generation, __ATOMIC_ACQUIRE);
        struct ts_unwind_table its_table = all[i].object.unwind_table;
        int holds = all[i].mapped && address - all[i].object.low < all[i].object.high - all[i].object.low;
        __atomic_thread_fence(__ATOMIC_ACQUIRE);
        /* That a module is gone is noticed late: of those at one place, the newest is there. */
        if (holds && generation > newest && generation == __atomic_load_n(&all[i].generation, __ATOMIC_RELAXED)) {
            newest = generation;
            *table = its_table;
        }
    }
    return newest ? 0 : -1;
}
