#include "preload/elf_object.h"
#include "collector/system.h"
#include "collector/text.h"
#include "collector/trace_map.h"
#include "relocations.h"

#include <sys/mman.h>
#include <unistd.h>

static void read_build_id(struct ts_elf_object *object, const ElfW(Phdr) * segment) {
    const uint8_t *at = (const uint8_t *)(object->bias + segment->p_vaddr);
    const uint8_t *end = at + segment->p_memsz;
    if ((uint64_t)at < object->low || (uint64_t)end > object->high || end < at)
        return; /* not in a segment that is loaded */
    while (end - at >= (int64_t)sizeof(ElfW(Nhdr))) {
        const ElfW(Nhdr) *note = (const ElfW(Nhdr) *)at;
        uint64_t name = (note->n_namesz + 3) & ~UINT64_C(3), content = (note->n_descsz + 3) & ~UINT64_C(3);
        const uint8_t *description = at + sizeof *note + name;
        if (name > (uint64_t)(end - at) || content > (uint64_t)(end - at) || description + content > end)
            return;
        if (note->n_type == NT_GNU_BUILD_ID && note->n_namesz == 4 && note->n_descsz <= 64 &&
            ts_text_equal((const char *)(note + 1), "GNU")) {
            object->build_id = description;
            object->build_id_bytes = note->n_descsz;
            return;
        }
        at = description + content;
    }
}

/* The segment that holds the header must hold what it leads to as well. */
static void read_unwind_table(struct ts_elf_object *object, const struct dl_phdr_info *info, uint64_t header) {
    for (unsigned i = 0; i < info->dlpi_phnum; i++) {
        const ElfW(Phdr) *segment = &info->dlpi_phdr[i];
        uint64_t start = object->bias + segment->p_vaddr;
        if (segment->p_type == PT_LOAD && segment->p_flags & PF_R && header - start < segment->p_filesz)
            object->unwind_table = (struct ts_unwind_table){header, start, start + segment->p_filesz};
    }
}

/* glibc relocates these pointers in place, musl does not. */
static uint64_t pointer(const struct ts_elf_object *object, uint64_t value) {
    return value >= object->low && value < object->high ? value : value + object->bias;
}

static int read_dynamic(struct ts_elf_object *object, const ElfW(Dyn) * dynamic) {
    uint64_t bytes[2] = {0, 0};
    for (const ElfW(Dyn) *entry = dynamic; entry->d_tag != DT_NULL; entry++) {
        uint64_t value = entry->d_un.d_val;
        switch (entry->d_tag) {
        case DT_SYMTAB:
            object->symbols = (const ElfW(Sym) *)pointer(object, value);
            break;
        case DT_STRTAB:
            object->names = (const char *)pointer(object, value);
            break;
        case DT_STRSZ:
            object->names_bytes = value;
            break;
        case DT_GNU_HASH:
            object->gnu_hash = (const uint32_t *)pointer(object, value);
            break;
        case DT_HASH:
            object->hash = (const uint32_t *)pointer(object, value);
            break;
        case DT_VERSYM:
            object->version_numbers = (const ElfW(Half) *)pointer(object, value);
            break;
        case DT_VERDEF:
            object->versions_defined = (const ElfW(Verdef) *)pointer(object, value);
            break;
        case DT_VERNEED:
            object->versions_needed = (const ElfW(Verneed) *)pointer(object, value);
            break;
        case DT_JMPREL:
            object->relocations[0] = (const ElfW(Rela) *)pointer(object, value);
            break;
        case DT_PLTRELSZ:
            bytes[0] = value;
            break;
        case DT_RELA:
            object->relocations[1] = (const ElfW(Rela) *)pointer(object, value);
            break;
        case DT_RELASZ:
            bytes[1] = value;
            break;
        default:
            break;
        }
    }
    for (unsigned i = 0; i < 2; i++)
        object->relocation_counts[i] = object->relocations[i] ? bytes[i] / sizeof(ElfW(Rela)) : 0;
    return object->symbols && object->names ? 0 : -1;
}

int ts_elf_object_read(struct ts_elf_object *object, const struct dl_phdr_info *info) {
    uint64_t page = (uint64_t)sysconf(_SC_PAGESIZE);
    const ElfW(Dyn) *dynamic = NULL;
    *object = (struct ts_elf_object){.bias = info->dlpi_addr, .low = UINT64_MAX};
    for (unsigned i = 0; i < info->dlpi_phnum; i++) {
        const ElfW(Phdr) *segment = &info->dlpi_phdr[i];
        uint64_t start = object->bias + segment->p_vaddr, end = start + segment->p_memsz;
        if (segment->p_type == PT_LOAD) {
            start &= ~(page - 1);
            end = (end + page - 1) & ~(page - 1);
            object->low = start < object->low ? start : object->low;
            object->high = end > object->high ? end : object->high;
            if (segment->p_flags & PF_X && segment->p_filesz > object->code_high - object->code_low) {
                object->code_low = object->bias + segment->p_vaddr;
                object->code_high = object->code_low + segment->p_filesz;
            }
        } else if (segment->p_type == PT_DYNAMIC) {
            dynamic = (const ElfW(Dyn) *)start;
        } else if (segment->p_type == PT_GNU_RELRO) {
            object->relro_low = start & ~(page - 1);
            object->relro_high = end & ~(page - 1);
        } else if (segment->p_type == PT_GNU_EH_FRAME) {
            read_unwind_table(object, info, start);
        }
    }
    if (object->low == UINT64_MAX)
        object->low = object->high = object->bias;
    for (unsigned i = 0; i < info->dlpi_phnum && !object->build_id; i++)
        if (info->dlpi_phdr[i].p_type == PT_NOTE)
            read_build_id(object, &info->dlpi_phdr[i]);
    return dynamic ? read_dynamic(object, dynamic) : -1;
}

int ts_elf_object_read_linked(struct ts_elf_object *object, const struct link_map *map) {
    *object = (struct ts_elf_object){.bias = map->l_addr, .low = map->l_addr, .high = UINT64_MAX};
    return map->l_ld ? read_dynamic(object, map->l_ld) : -1;
}

/* The symbol whose address a relocation stores in a pointer slot; 0: another kind of relocation. */
static uint32_t pointer_symbol(const ElfW(Rela) * relocation) {
    return TS_RELOCATION_IS_POINTER(ELF64_R_TYPE(relocation->r_info)) ? (uint32_t)ELF64_R_SYM(relocation->r_info) : 0;
}

uint32_t ts_elf_object_undefined(const struct ts_elf_object *object, const char *name) {
    uint32_t last = 0;
    for (unsigned table = 0; table < 2; table++)
        for (uint64_t i = 0; i < object->relocation_counts[table]; i++) {
            uint32_t index = pointer_symbol(&object->relocations[table][i]);
            if (!index || index == last)
                continue;
            last = index;
            const ElfW(Sym) *symbol = &object->symbols[index];
            if (symbol->st_shndx == SHN_UNDEF && symbol->st_name < object->names_bytes &&
                ts_text_equal(object->names + symbol->st_name, name))
                return index;
        }
    return 0;
}

void ts_elf_object_slots(const struct ts_elf_object *object, uint32_t index, void (*use)(void *context, uint64_t *slot),
                         void *context) {
    for (unsigned table = 0; table < 2; table++)
        for (uint64_t i = 0; i < object->relocation_counts[table]; i++) {
            const ElfW(Rela) *relocation = &object->relocations[table][i];
            uint64_t slot = object->bias + relocation->r_offset;
            if (pointer_symbol(relocation) == index && slot >= object->low && slot + 8 <= object->high && slot % 8 == 0)
                use(context, (uint64_t *)slot);
        }
}

/*
 * Populating for writing fails on a read-only page, and on one that is writable does what a store would. Where the
 * kernel cannot populate: 0.
 */
static int is_writable(uint64_t page) {
    return !ts_trace_map.preallocated &&
           ts_system_madvise((void *)page, (uint64_t)sysconf(_SC_PAGESIZE), MADV_POPULATE_WRITE) == 0;
}

enum ts_store_result ts_elf_object_unprotect(const struct ts_elf_object *object) {
    uint64_t bytes = object->relro_high - object->relro_low;
    if (!bytes)
        return TS_STORE_DONE;
    if (is_writable(object->relro_low))
        return TS_STORE_NOT_YET;
    return ts_system_failed(ts_system_mprotect((void *)object->relro_low, bytes, PROT_READ | PROT_WRITE))
               ? TS_STORE_REFUSED
               : TS_STORE_DONE;
}

void ts_elf_object_protect(const struct ts_elf_object *object) {
    if (object->relro_high > object->relro_low)
        ts_system_mprotect((void *)object->relro_low, object->relro_high - object->relro_low, PROT_READ);
}

enum ts_store_result ts_elf_object_store(const struct ts_elf_object *object, uint64_t *slot, uint64_t value) {
    uint64_t page_bytes = (uint64_t)sysconf(_SC_PAGESIZE);
    uint64_t page = (uint64_t)slot & ~(page_bytes - 1);
    int read_only = page >= object->relro_low && page < object->relro_high;
    if (read_only) {
        if (is_writable(page))
            return TS_STORE_NOT_YET;
        if (ts_system_failed(ts_system_mprotect((void *)page, page_bytes, PROT_READ | PROT_WRITE)))
            return TS_STORE_REFUSED;
    }
    __atomic_store_n(slot, value, __ATOMIC_RELEASE);
    if (read_only)
        ts_system_mprotect((void *)page, page_bytes, PROT_READ);
    return TS_STORE_DONE;
}
