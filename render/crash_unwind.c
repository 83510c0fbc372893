#include "render/crash_unwind.h"

#include "render/symbols.h"

#include <elf.h>
#include <elfutils/libdwfl.h>
#include <string.h>
#include <unistd.h>

/* Far more than a stack of 64 KiB points into. */
#define MODULES_MOST 256u

struct walk {
    const struct ts_crash *crash;
    uint16_t machine;
    const struct ts_module *modules[MODULES_MOST]; /* that the stack and the registers point into; no two overlap */
    size_t module_count;
    uint64_t registers[64];
    size_t register_count;
    uint64_t program_counter;
    uint64_t *addresses;
    size_t count;
    size_t most;
};

static bool reads(const struct walk *walk, uint64_t address, uint64_t *word) {
    const struct ts_crash *crash = walk->crash;
    uint64_t offset = address - crash->stack_address;
    if (crash->stack_bytes < sizeof *word || offset > crash->stack_bytes - sizeof *word)
        return false;
    memcpy(word, crash->stack + offset, sizeof *word);
    return true;
}

static void add_module(struct walk *walk, const struct ts_module_map *modules, uint64_t address) {
    size_t at = 0;
    for (; at < walk->module_count && walk->modules[at]->high <= address; at++)
        ;
    if (walk->module_count == MODULES_MOST || (at < walk->module_count && walk->modules[at]->low <= address))
        return;
    const struct ts_module *module = ts_module_map_find(modules, address, 0, walk->crash->clock, NULL);
    if (!module || (at > 0 && walk->modules[at - 1]->high > module->low) ||
        (at < walk->module_count && module->high > walk->modules[at]->low))
        return;
    memmove(walk->modules + at + 1, walk->modules + at, (walk->module_count - at) * sizeof(struct ts_module *));
    walk->modules[at] = module;
    walk->module_count++;
}

static bool has_module(const struct walk *walk, uint64_t address) {
    for (size_t i = 0; i < walk->module_count; i++)
        if (address >= walk->modules[i]->low && address < walk->modules[i]->high)
            return true;
    return false;
}

static void find_modules(struct walk *walk, const struct ts_module_map *modules) {
    add_module(walk, modules, walk->program_counter);
    for (size_t i = 0; i < walk->register_count; i++)
        add_module(walk, modules, walk->registers[i]);
    for (size_t at = 0; at + sizeof(uint64_t) <= walk->crash->stack_bytes; at += sizeof(uint64_t)) {
        uint64_t word;
        memcpy(&word, walk->crash->stack + at, sizeof word);
        if (word)
            add_module(walk, modules, word);
    }
}

/* Debug files are not looked for: what unwinding needs is in the files themselves. */
static int find_no_debug_file(Dwfl_Module *module, void **data, const char *name, Dwarf_Addr base, const char *file,
                              const char *link, GElf_Word checksum, char **path) {
    (void)module, (void)data, (void)name, (void)base, (void)file, (void)link, (void)checksum, (void)path;
    return -1;
}

static int find_no_elf(Dwfl_Module *module, void **data, const char *name, Dwarf_Addr base, char **path, Elf **elf) {
    (void)module, (void)data, (void)name, (void)base, (void)path, (void)elf;
    return -1;
}

static void report_modules(struct walk *walk, Dwfl *dwfl) {
    dwfl_report_begin(dwfl);
    for (size_t i = 0; i < walk->module_count; i++) {
        const struct ts_object *object = walk->modules[i]->object;
        struct ts_error ignored;
        int fd = ts_symbols_open_file(object->path, object->build_id, object->build_id_bytes, &ignored);
        if (fd >= 0 && !dwfl_report_elf(dwfl, object->scope, object->path, fd, walk->modules[i]->bias, true))
            close(fd);
    }
    dwfl_report_end(dwfl, NULL, NULL);
}

static pid_t next_thread(Dwfl *dwfl, void *context, void **thread) {
    (void)dwfl;
    if (*thread)
        return 0;
    *thread = context;
    return 1;
}

static bool read_memory(Dwfl *dwfl, Dwarf_Addr address, Dwarf_Word *word, void *context) {
    (void)dwfl;
    return reads(context, address, word);
}

static bool set_registers(Dwfl_Thread *thread, void *context) {
    const struct walk *walk = context;
    dwfl_thread_state_register_pc(thread, walk->program_counter);
    return dwfl_thread_state_registers(thread, 0, (unsigned)walk->register_count, walk->registers);
}

static int take_frame(Dwfl_Frame *frame, void *context) {
    struct walk *walk = context;
    Dwarf_Addr address;
    bool interrupted;
    if (walk->count == walk->most || !dwfl_frame_pc(frame, &address, &interrupted) || !address)
        return DWARF_CB_ABORT;
    /* A return address lies behind the call, perhaps in the next function; so does that of the walk's own start. */
    bool is_start = walk->count == 0;
    walk->addresses[walk->count++] = interrupted || is_start ? address : address - 1;
    return DWARF_CB_OK;
}

/* A call of what is no code: its caller is where it would have returned to. Returns whether that is known. */
static bool step_out(struct walk *walk) {
    uint64_t caller, *registers = walk->registers;
    if (walk->machine == EM_X86_64) {
        if (walk->register_count < 17 || !reads(walk, registers[7], &caller))
            return false;
        registers[7] += sizeof caller;
        registers[16] = caller;
    } else if (walk->machine == EM_AARCH64 && walk->register_count > 30) {
        caller = registers[30];
    } else {
        return false;
    }
    walk->program_counter = caller - 1; /* inside the call */
    return has_module(walk, walk->program_counter);
}

static void unwind(struct walk *walk) {
    static const Dwfl_Callbacks files = {.find_elf = find_no_elf, .find_debuginfo = find_no_debug_file};
    static const Dwfl_Thread_Callbacks threads = {
        .next_thread = next_thread, .memory_read = read_memory, .set_initial_registers = set_registers};
    Dwfl *dwfl = dwfl_begin(&files);
    if (!dwfl)
        return;
    report_modules(walk, dwfl);
    if (dwfl_attach_state(dwfl, NULL, 1, &threads, walk))
        dwfl_getthread_frames(dwfl, 1, take_frame, walk);
    dwfl_end(dwfl);
}

size_t ts_crash_unwind(const struct ts_crash *crash, uint16_t machine, const struct ts_module_map *modules,
                       uint64_t *addresses, size_t most) {
    struct walk walk = {.crash = crash,
                        .machine = machine,
                        .program_counter = crash->program_counter,
                        .addresses = addresses,
                        .most = most};
    walk.register_count = crash->register_count < 64 ? crash->register_count : 64;
    memcpy(walk.registers, crash->registers, walk.register_count * sizeof *walk.registers);
    find_modules(&walk, modules);
    size_t before = 0;
    if (!has_module(&walk, walk.program_counter) && most > 1) {
        addresses[before++] = walk.program_counter;
        if (!step_out(&walk))
            return before;
        walk.addresses++;
        walk.most--;
    }
    unwind(&walk);
    if (walk.count == 0 && walk.most > 0)
        walk.addresses[walk.count++] = walk.program_counter;
    return before + walk.count;
}
