#include "preload/hook_patch.h"
#include "collector/system.h"
#include "collector/text.h"
#include "collector/trace_format.h"
#include "preload/hooks.h"
#include "preload/stack.h"
#include "relocations.h"

#include <sys/mman.h>

enum use { IS_CALLED = 1, IS_READ = 2 };

/* Pointer slots of one object that only calls make ours, while its code is looked through. Grows; under the lock. */
static struct {
    uint64_t *slots;
    uint8_t *uses; /* enum use */
    uint64_t count;
    uint64_t capacity;
} candidates;

static int add_candidate(uint64_t slot) {
    if (candidates.count == candidates.capacity) {
        uint64_t capacity = candidates.capacity ? 2 * candidates.capacity : 1024, each = sizeof(uint64_t) + 1;
        int64_t memory =
            ts_system_mmap(NULL, capacity * each, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        if (ts_system_failed(memory))
            return -1;
        uint64_t *slots = (uint64_t *)memory;
        for (uint64_t i = 0; i < candidates.count; i++)
            slots[i] = candidates.slots[i];
        if (candidates.slots)
            ts_system_munmap(candidates.slots, candidates.capacity * each);
        candidates.slots = slots;
        candidates.uses = (uint8_t *)(slots + capacity);
        candidates.capacity = capacity;
    }
    candidates.slots[candidates.count++] = slot;
    return 0;
}

static void sort_candidates(void) {
    for (uint64_t gap = candidates.count / 2; gap; gap /= 2) /* shell sort */
        for (uint64_t i = gap; i < candidates.count; i++) {
            uint64_t slot = candidates.slots[i], at = i;
            for (; at >= gap && candidates.slots[at - gap] > slot; at -= gap)
                candidates.slots[at] = candidates.slots[at - gap];
            candidates.slots[at] = slot;
        }
    for (uint64_t i = 0; i < candidates.count; i++)
        candidates.uses[i] = 0;
}

static uint64_t find_candidate(uint64_t slot) {
    uint64_t low = 0, high = candidates.count;
    while (low < high) {
        uint64_t middle = low + (high - low) / 2;
        if (candidates.slots[middle] < slot)
            low = middle + 1;
        else
            high = middle;
    }
    return low < candidates.count && candidates.slots[low] == slot ? low : UINT64_MAX;
}

static unsigned uses_of(uint64_t slot) {
    uint64_t at = find_candidate(slot);
    return at == UINT64_MAX ? 0 : candidates.uses[at];
}

static void note_use(void *context, uint64_t slot, int is_call) {
    (void)context;
    uint64_t at = find_candidate(slot);
    if (at != UINT64_MAX)
        candidates.uses[at] |= is_call ? IS_CALLED : IS_READ;
}

struct patching {
    struct ts_module *module;
    int writable; /* the read-only pages are */
    int choose_only;
    enum ts_hook_patch_result result;
};

static uint64_t defined_by(const struct ts_module *module, const char *name, const char *version) {
    return module->object.symbols ? ts_elf_object_function(&module->object, name, version) : 0;
}

/* As the loader would bind a call that it has not bound yet: everyone's scope, then what was loaded with the module. */
static uint64_t bind_call(const struct ts_module *module, const char *name, const char *version) {
    uint64_t address = module->deep ? defined_by(module, name, version) : 0;
    const struct ts_module *other;
    for (unsigned initial = 2; !address && initial-- > 0;)
        for (uint32_t i = 0; !address && (other = ts_module_in_order(i)); i++)
            if (other->is_initial == initial && (initial || other != module || !module->deep))
                address = defined_by(other, name, version);
    return address;
}

/*
 * The shim's own functions stand before others of the same name, which are what the program knows: the next definition
 * in the order of search.
 */
static const struct ts_module *behind_shim(const struct ts_module *owner, const char *name) {
    const struct ts_module *other;
    for (uint32_t i = 0; owner && owner->is_shim && (other = ts_module_in_order(i)); i++)
        if (other->is_initial && !other->is_shim && defined_by(other, name, NULL))
            return other;
    return owner;
}

/* The function that calls through the slot reach; 0: none, or it is not to be touched. */
static uint64_t target_of(const struct ts_module *module, const uint64_t *slot, uint32_t index, uint32_t type) {
    const struct ts_elf_object *object = &module->object;
    const ElfW(Sym) *symbol = &object->symbols[index];
    uint64_t now = __atomic_load_n(slot, __ATOMIC_ACQUIRE);
    if (!now || ts_hook_is_stub(now))
        return 0;
    int is_own = now - object->low < object->high - object->low;
    if (is_own && TS_RELOCATION_IS_CALL(type) &&
        (symbol->st_shndx == SHN_UNDEF || now != object->bias + symbol->st_value)) {
        const char *version = symbol->st_shndx == SHN_UNDEF ? ts_elf_object_version(object, index) : NULL;
        return bind_call(module, ts_elf_object_name(object, index), version);
    }
    return now;
}

/*
 * A function whose address in a program that is not position independent is that of its linkage table: pointers to it
 * are compared with that one, and no data slot anywhere may say otherwise.
 */
static int is_canonical_elsewhere(const struct ts_module *owner, uint64_t target, const char *name) {
    const struct ts_elf_object *object = &owner->object;
    return owner->flags & TS_LOAD_EXECUTABLE && target - object->code_low < object->code_high - object->code_low &&
           !ts_elf_object_function(object, name, NULL);
}

static int may_take(const struct ts_module *module, uint64_t slot, uint32_t type, const struct ts_hook_choice *choice,
                    const struct ts_module *owner, uint64_t target, uint32_t index) {
    const ElfW(Sym) *symbol = &module->object.symbols[index];
    if (TS_RELOCATION_IS_CALL(type))
        return 1;
    if ((symbol->st_shndx == SHN_UNDEF && symbol->st_value) ||
        is_canonical_elsewhere(owner, target, ts_elf_object_name(&module->object, index)))
        return 0;
    /* What was asked for leads to its stub wherever it is: the pointers that others hold are equal to it. */
    if (choice->named)
        return 1;
    /* Else where it is only called: read as a value too, it may be compared with what others hold. */
    return TS_RELOCATION_IS_ADDRESS(type) && uses_of(slot) == IS_CALLED;
}

static int is_code(const struct ts_module *owner, uint64_t address) {
    return owner && address - owner->object.code_low < owner->object.code_high - owner->object.code_low;
}

/* Returns whether it was. */
static int store(struct patching *patching, uint64_t *slot, uint64_t stub) {
    const struct ts_elf_object *object = &patching->module->object;
    uint64_t address = (uint64_t)slot;
    if (patching->choose_only)
        return 0;
    if (address + sizeof *slot > object->relro_low && address < object->relro_high && !patching->writable) {
        switch (ts_elf_object_unprotect(object)) {
        case TS_STORE_DONE:
            patching->writable = 1;
            break;
        case TS_STORE_NOT_YET:
            patching->result = TS_HOOK_PATCH_NOT_YET;
            return 0;
        case TS_STORE_REFUSED:
            patching->module->slots_refused++;
            patching->result = TS_HOOK_PATCH_REFUSED;
            return 0;
        }
    }
    __atomic_store_n(slot, stub, __ATOMIC_RELEASE);
    return 1;
}

/*
 * What the shim exports stands before libc's functions, but not for objects opened with RTLD_DEEPBIND, which pass it
 * by: their calls are led to it. 0: another function, or one of their own. (The instrumentation hooks are patched on
 * their own terms, preload/modules.c.)
 */
static uint64_t own_function(const struct ts_module *module, const char *name) {
    const struct ts_module *shim = module->deep ? ts_module_at((uint64_t)ts_hook_patch_module) : NULL;
    return shim && !ts_text_begins(name, "__cyg_profile_") ? defined_by(shim, name, NULL) : 0;
}

static void patch_slot(struct patching *patching, const ElfW(Rela) * relocation) {
    const struct ts_module *module = patching->module;
    uint32_t type = ELF64_R_TYPE(relocation->r_info), index = (uint32_t)ELF64_R_SYM(relocation->r_info);
    const char *name = ts_elf_object_name(&module->object, index);
    uint64_t *slot = (uint64_t *)(module->object.bias + relocation->r_offset);
    uint64_t now = __atomic_load_n(slot, __ATOMIC_ACQUIRE);
    /* Not relocated yet: the loader would add its base to what we write, or overwrite it. A weak symbol may stay 0. */
    int is_weak = ELF64_ST_BIND(module->object.symbols[index].st_info) == STB_WEAK;
    if (now ? now < module->object.low && now < module->object.high - module->object.low : !is_weak) {
        patching->result = TS_HOOK_PATCH_NOT_YET;
        return;
    }
    uint64_t target = target_of(module, slot, index, type);
    const struct ts_module *owner = target ? ts_module_at(target) : NULL;
    if (!owner || !is_code(owner, target))
        return;
    uint64_t own = owner->is_initial && TS_RELOCATION_IS_POINTER(type) ? own_function(module, name) : 0;
    if (own)
        target = own;
    const struct ts_hook_observer *observer = ts_hook_observer_of(name);
    if (observer) {
        uint64_t stub = TS_RELOCATION_IS_POINTER(type) ? ts_hooks_observer(target, name, owner, observer) : 0;
        if (stub)
            store(patching, slot, stub);
        return;
    }
    owner = behind_shim(owner, name);
    struct ts_hook_choice choice = ts_hook_selection_choose(&ts_hooks_selection, name, owner->file, module->file, 0);
    int may = choice.selected && may_take(module, (uint64_t)slot, type, &choice, owner, target, index);
    uint64_t stub = may ? ts_hooks_stub(target, name, owner, &choice) : 0;
    patching->module->slots_left += choice.selected && !may;
    if (stub)
        ts_hook_selection_count(&ts_hooks_selection, name, owner->file, module->file);
    else if (own)
        stub = own;
    if (stub)
        patching->module->slots_patched += (uint32_t)store(patching, slot, stub);
}

static int is_ours(const struct ts_elf_object *object, const ElfW(Rela) * relocation) {
    uint32_t type = ELF64_R_TYPE(relocation->r_info), index = (uint32_t)ELF64_R_SYM(relocation->r_info);
    uint64_t slot = object->bias + relocation->r_offset;
    if (!index || slot < object->low || slot + sizeof slot > object->high || slot % sizeof slot)
        return 0;
    return TS_RELOCATION_IS_POINTER(type) || (TS_RELOCATION_IS_DATA(type) && !relocation->r_addend);
}

static int may_be_selected(const struct ts_module *module, uint32_t index) {
    const struct ts_elf_object *object = &module->object;
    const ElfW(Sym) *symbol = &object->symbols[index];
    unsigned kind = ELF64_ST_TYPE(symbol->st_info);
    const char *name = ts_elf_object_name(object, index);
    return kind != STT_OBJECT && kind != STT_TLS && TS_SYMBOL_MAY_BE_HOOKED(symbol) &&
           (ts_hook_selection_may_select(&ts_hooks_selection, name) || ts_hook_observer_of(name) ||
            own_function(module, name));
}

/* How slots that may be called through or read as addresses are used: the code tells, where a glob may select them. */
static void find_uses(const struct ts_module *module) {
    const struct ts_elf_object *object = &module->object;
    candidates.count = 0;
    if (!ts_hooks_selection.globs)
        return;
    for (unsigned table = 0; table < 2; table++)
        for (uint64_t i = 0; i < object->relocation_counts[table]; i++) {
            const ElfW(Rela) *relocation = &object->relocations[table][i];
            if (is_ours(object, relocation) && TS_RELOCATION_IS_ADDRESS(ELF64_R_TYPE(relocation->r_info)) &&
                may_be_selected(module, (uint32_t)ELF64_R_SYM(relocation->r_info)) &&
                add_candidate(object->bias + relocation->r_offset)) {
                candidates.count = 0; /* without knowing all uses none is taken */
                return;
            }
        }
    if (!candidates.count)
        return;
    sort_candidates();
    ts_relocation_uses(object->code_low, object->code_high, candidates.slots[0], candidates.slots[candidates.count - 1],
                       note_use, NULL);
}

enum ts_hook_patch_result ts_hook_patch_module(struct ts_module *module, int choose_only) {
    const struct ts_elf_object *object = &module->object;
    struct patching patching = {.module = module, .choose_only = choose_only};
    module->slots_left = 0;
    if (!object->symbols || module->is_shim || ts_stack_is_in(object->low, object->high))
        return TS_HOOK_PATCH_DONE;
    find_uses(module);
    for (unsigned table = 0; table < 2; table++)
        for (uint64_t i = 0; i < object->relocation_counts[table] && !patching.result; i++) {
            const ElfW(Rela) *relocation = &object->relocations[table][i];
            if (is_ours(object, relocation) && may_be_selected(module, (uint32_t)ELF64_R_SYM(relocation->r_info)))
                patch_slot(&patching, relocation);
        }
    if (patching.writable)
        ts_elf_object_protect(object);
    return patching.result;
}

uint64_t ts_hook_patch_found(const char *symbol, uint64_t address) {
    const struct ts_module *owner = ts_module_at(address);
    if (!owner || !is_code(owner, address) || is_canonical_elsewhere(owner, address, symbol))
        return address;
    owner = behind_shim(owner, symbol);
    struct ts_hook_choice choice = ts_hook_selection_choose(&ts_hooks_selection, symbol, owner->file, NULL, 1);
    uint64_t stub = choice.selected && choice.named ? ts_hooks_stub(address, symbol, owner, &choice) : 0;
    return stub ? stub : address;
}

uint32_t ts_hook_patch_passed(const char *symbol, uint64_t address) {
    const struct ts_module *owner = ts_module_at(address);
    struct ts_hook_choice choice = {0};
    if (owner)
        choice = ts_hook_selection_choose(&ts_hooks_selection, symbol, owner->file, NULL, 1);
    uint64_t stub = choice.selected ? ts_hooks_passed(address, symbol, owner, &choice) : 0;
    return stub ? (uint32_t)((stub - ts_hook_stub_address(0)) / TS_HOOK_STUB_BYTES) + 1 : 0;
}
