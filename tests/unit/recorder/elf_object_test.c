/* The objects of this very process. Cannot find: what other linkers lay out differently. */
#include "preload/elf_object.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct wanted {
    const char *name; /* ends so; "": the program */
    struct ts_elf_object object;
    int result;
    int found;
    char path[4096];
};

static int look(struct dl_phdr_info *info, size_t size, void *context) {
    struct wanted *wanted = context;
    size_t length = strlen(info->dlpi_name), end = strlen(wanted->name);
    (void)size;
    if (end ? length < end || strcmp(info->dlpi_name + length - end, wanted->name) != 0 : length != 0)
        return 0;
    wanted->result = ts_elf_object_read(&wanted->object, info);
    wanted->found = 1;
    snprintf(wanted->path, sizeof wanted->path, "%s", info->dlpi_name);
    return 1;
}

static struct wanted *find(const char *name) {
    static struct wanted wanted;
    wanted = (struct wanted){.name = name};
    dl_iterate_phdr(look, &wanted);
    cr_assert(wanted.found, "%s is not loaded", name);
    return &wanted;
}

struct slots {
    uint64_t *slots[64];
    unsigned count;
};

static void collect(void *context, uint64_t *slot) {
    struct slots *slots = context;
    cr_assert_lt(slots->count, 64);
    slots->slots[slots->count++] = slot;
}

static pid_t seven(void) {
    return 7;
}

Test(elf_object, bounds_hold_what_is_in_the_object) {
    struct ts_elf_object *object = &find("")->object;
    static int data = 1;
    cr_assert(object->low <= (uint64_t)seven && (uint64_t)seven < object->high);
    cr_assert(object->low <= (uint64_t)&data && (uint64_t)&data < object->high);
    cr_assert(!(object->low <= (uint64_t)&object && (uint64_t)&object < object->high));
    cr_assert_eq(object->low % 4096, 0);
    cr_assert_eq(object->high % 4096, 0);
}

Test(elf_object, a_call_is_redirected_by_its_slot) {
    pid_t parent = getppid();
    struct ts_elf_object object = find("")->object;
    struct slots slots = {.count = 0};
    uint32_t index = ts_elf_object_undefined(&object, "getppid");
    cr_assert_gt(index, 0);
    cr_assert_str_eq(object.names + object.symbols[index].st_name, "getppid");
    ts_elf_object_slots(&object, index, collect, &slots);
    cr_assert_geq(slots.count, 1);
    uint64_t old[64];
    for (unsigned i = 0; i < slots.count; i++) {
        old[i] = *slots.slots[i];
        cr_assert_eq(ts_elf_object_store(&object, slots.slots[i], (uint64_t)seven), 0);
    }
    cr_assert_eq(getppid(), 7);
    for (unsigned i = 0; i < slots.count; i++)
        cr_assert_eq(ts_elf_object_store(&object, slots.slots[i], old[i]), 0);
    cr_assert_eq(getppid(), parent);
}

Test(elf_object, names_that_are_defined_or_not_there_are_not_found) {
    struct ts_elf_object *object = &find("")->object;
    cr_assert_eq(ts_elf_object_undefined(object, "no_such_function_anywhere"), 0);
    cr_assert_eq(ts_elf_object_undefined(object, ""), 0);
    cr_assert_eq(ts_elf_object_undefined(object, "getppi"), 0);
    cr_assert_eq(ts_elf_object_undefined(object, "getppidx"), 0);
    cr_assert_eq(ts_elf_object_undefined(&find("libc.so.6")->object, "getppid"), 0, "libc defines it");
}

static int is_writable(uint64_t address) {
    char line[1024];
    int writable = -1;
    FILE *maps = fopen("/proc/self/maps", "r");
    while (writable < 0 && fgets(line, sizeof line, maps)) {
        unsigned long low, high;
        char write;
        if (sscanf(line, "%lx-%lx %*c%c", &low, &high, &write) == 3 && low <= address && address < high)
            writable = write == 'w';
    }
    fclose(maps);
    return writable;
}

Test(elf_object, a_read_only_page_is_read_only_again_after_a_store) {
    struct ts_elf_object object = find("libc.so.6")->object;
    cr_assert_lt(object.relro_low, object.relro_high);
    uint64_t *slot = (uint64_t *)object.relro_low;
    cr_assert_eq(is_writable(object.relro_low), 0);
    cr_assert_eq(ts_elf_object_store(&object, slot, *slot), 0);
    cr_assert_eq(is_writable(object.relro_low), 0);
}

/* "Build ID: <hex>" as readelf prints it. */
static int read_build_id(const char *path, char *hex, size_t size) {
    char command[4200], line[512];
    int found = 0;
    snprintf(command, sizeof command, "readelf -n '%s' 2>/dev/null", path);
    FILE *output = popen(command, "r");
    while (output && fgets(line, sizeof line, output)) {
        char *id = strstr(line, "Build ID: ");
        if (id && !found)
            found = snprintf(hex, size, "%.*s", (int)strcspn(id + 10, " \n"), id + 10) > 0;
    }
    if (output)
        pclose(output);
    return found;
}

static void check_build_id(const char *name, const char *path) {
    struct wanted *wanted = find(name);
    char expected[256], hex[256] = "";
    if (!read_build_id(path ? path : wanted->path, expected, sizeof expected))
        cr_skip_test("readelf shows no build id of %s", path ? path : wanted->path);
    for (uint32_t i = 0; i < wanted->object.build_id_bytes; i++)
        sprintf(hex + 2 * i, "%02x", wanted->object.build_id[i]);
    cr_assert_str_eq(hex, expected);
}

Test(elf_object, build_id_of_a_library) {
    check_build_id("libc.so.6", NULL);
}

Test(elf_object, build_id_of_the_program) {
    char path[4096];
    ssize_t bytes = readlink("/proc/self/exe", path, sizeof path - 1);
    cr_assert_gt(bytes, 0);
    path[bytes] = 0;
    check_build_id("", path);
}

Test(elf_object, every_object_of_the_process_can_be_read) {
    struct wanted *vdso = find("linux-vdso.so.1");
    cr_assert_eq(vdso->result, 0);
    cr_assert_eq(ts_elf_object_undefined(&vdso->object, "getpid"), 0);
    cr_assert_eq(find("libcriterion.so.3")->result, 0);
    cr_assert_gt(ts_elf_object_undefined(&find("libcriterion.so.3")->object, "free"), 0);
}

Test(elf_object, an_object_without_dynamic_section) {
    ElfW(Phdr) load = {.p_type = PT_LOAD, .p_vaddr = 0x1234, .p_memsz = 0x2000};
    struct dl_phdr_info info = {.dlpi_addr = 0x10000, .dlpi_name = "", .dlpi_phdr = &load, .dlpi_phnum = 1};
    struct ts_elf_object object;
    cr_assert_eq(ts_elf_object_read(&object, &info), -1);
    cr_assert_eq(object.low, 0x11000);
    cr_assert_eq(object.high, 0x14000);
    cr_assert_eq(object.relro_low, object.relro_high);
    cr_assert_eq(ts_elf_object_undefined(&object, "free"), 0);
}

/* Notes that claim to be longer than their segment. */
Test(elf_object, notes_that_lie_are_not_followed) {
    static const uint32_t lies[][4] = {{4, 0xfffffff0, NT_GNU_BUILD_ID, 0x00554e47},
                                       {0xfffffffc, 20, NT_GNU_BUILD_ID, 0x00554e47},
                                       {4, 65, NT_GNU_BUILD_ID, 0x00554e47},
                                       {0xffffffff, 0xffffffff, NT_GNU_BUILD_ID, 0},
                                       {4, 20, NT_GNU_BUILD_ID, 0x00554e48}};
    for (size_t i = 0; i < sizeof lies / sizeof *lies; i++) {
        uint32_t *note = malloc(16 + 80);
        memset(note, 0, 96);
        memcpy(note, lies[i], 16);
        ElfW(Phdr) segments[] = {{.p_type = PT_LOAD, .p_vaddr = (uint64_t)note, .p_memsz = 96},
                                 {.p_type = PT_NOTE, .p_vaddr = (uint64_t)note, .p_memsz = 96}};
        struct dl_phdr_info info = {.dlpi_phdr = segments, .dlpi_phnum = 2};
        struct ts_elf_object object;
        ts_elf_object_read(&object, &info);
        cr_assert_eq(object.build_id_bytes, 0, "note %zu", i);
        free(note);
    }
}
