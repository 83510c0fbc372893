#include "preload/own_calls.h"
#include "collector/system.h"
#include "relocations.h"

#include <sys/mman.h>
#include <unistd.h>

extern const ElfW(Ehdr) __ehdr_start __attribute__((visibility("hidden"))); /* the linker's: the shim's own header */

/* What the loader made read-only of the shim once it had filled the slots. */
struct pages {
    uint64_t start, bytes; /* 0: still read-only */
};

/* 0 or -1. */
static int make_writable(struct pages *pages, const struct ts_elf_object *libc) {
    const ElfW(Phdr) *segment = (const ElfW(Phdr) *)((const char *)&__ehdr_start + __ehdr_start.e_phoff), *end;
    /* Not by name: it may be one of those to be changed. */
    long (*page_bytes)(int) = (long (*)(int))ts_elf_object_function(libc, "sysconf", NULL);
    if (pages->bytes)
        return 0;
    for (end = segment + __ehdr_start.e_phnum; segment < end && segment->p_type != PT_GNU_RELRO; segment++)
        ;
    if (segment == end || !page_bytes)
        return -1;
    uint64_t mask = ~((uint64_t)page_bytes(_SC_PAGESIZE) - 1), address = (uint64_t)&__ehdr_start + segment->p_vaddr;
    uint64_t start = address & mask, bytes = ((address + segment->p_memsz) & mask) - start;
    if (ts_system_failed(ts_system_mprotect((void *)start, bytes, PROT_READ | PROT_WRITE)))
        return -1;
    *pages = (struct pages){start, bytes};
    return 0;
}

void ts_own_calls_bind(const struct ts_elf_object *shim, const struct ts_elf_object *libc) {
    struct pages pages = {0, 0};
    uint64_t start = (uint64_t)libc->names; /* before its code, and an object's mapping has no gaps for others */
    for (uint64_t i = 0; i < shim->relocation_counts[0]; i++) {
        const ElfW(Rela) *relocation = &shim->relocations[0][i];
        uint32_t index = (uint32_t)ELF64_R_SYM(relocation->r_info);
        uint64_t *slot = (uint64_t *)(shim->bias + relocation->r_offset);
        if (shim->symbols[index].st_shndx != SHN_UNDEF || !TS_RELOCATION_IS_CALL(ELF64_R_TYPE(relocation->r_info)) ||
            *slot - start < libc->high - start)
            continue;
        uint64_t function =
            ts_elf_object_function(libc, ts_elf_object_name(shim, index), ts_elf_object_version(shim, index));
        if (function && function != *slot && make_writable(&pages, libc) == 0)
            __atomic_store_n(slot, function, __ATOMIC_RELEASE);
    }
    if (pages.bytes)
        ts_system_mprotect((void *)pages.start, pages.bytes, PROT_READ);
}
