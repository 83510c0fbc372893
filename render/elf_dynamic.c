#include "render/elf_dynamic.h"

#include "render/elf_calls.h"
#include "render/memory.h"

#include <gelf.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

/* Relocations of function addresses. */
static const struct machine {
    uint16_t number;
    uint32_t call;
    uint32_t pointer;
    uint32_t data;
} machines[] = {
    {EM_X86_64, R_X86_64_JUMP_SLOT, R_X86_64_GLOB_DAT, R_X86_64_64},
    {EM_AARCH64, R_AARCH64_JUMP_SLOT, R_AARCH64_GLOB_DAT, R_AARCH64_ABS64},
};

/* Tables of more bytes than this are damage: those of the largest programs have some ten MiB. */
#define TABLE_BYTES_MOST ((uint64_t)1 << 27)
/* A call reaches no further. */
#define CODE_BYTES_MOST ((uint64_t)1 << 31)
/* Of tables that do not tell how long they are. */
#define VERSIONS_BYTES_MOST ((uint64_t)1 << 20)
#define CHAIN_BYTES_MOST ((uint64_t)1 << 16)
/* Of notes; they have some hundred bytes. */
#define NOTES_BYTES_MOST ((uint64_t)1 << 16)
enum { GO_BUILD_ID_NOTE = 4 };
/* Of a symbol's version; the upper bit hides the symbol from who asks for no version. */
enum { VERSION_NUMBER = 0x7fff };

struct region {
    uint64_t address;
    uint64_t bytes; /* in the file */
    uint64_t offset;
    bool is_code;
};

/* What is used of the dynamic section: addresses, sizes and offsets of strings; ABSENT: it does not say. */
#define TAGS(TAG)                                                                                                      \
    TAG(STRTAB)                                                                                                        \
    TAG(STRSZ)                                                                                                         \
    TAG(SYMTAB)                                                                                                        \
    TAG(HASH)                                                                                                          \
    TAG(GNU_HASH)                                                                                                      \
    TAG(RELA)                                                                                                          \
    TAG(RELASZ)                                                                                                        \
    TAG(JMPREL)                                                                                                        \
    TAG(PLTRELSZ)                                                                                                      \
    TAG(VERSYM)                                                                                                        \
    TAG(VERNEED)                                                                                                       \
    TAG(VERNEEDNUM)                                                                                                    \
    TAG(VERDEF)                                                                                                        \
    TAG(VERDEFNUM)                                                                                                     \
    TAG(SONAME)                                                                                                        \
    TAG(RPATH)                                                                                                         \
    TAG(RUNPATH)                                                                                                       \
    TAG(SYMBOLIC)                                                                                                      \
    TAG(BIND_NOW)                                                                                                      \
    TAG(FLAGS)                                                                                                         \
    TAG(FLAGS_1)
enum tag {
#define TAG(name) TAG_##name,
    TAGS(TAG)
#undef TAG
        TAG_COUNT
};
static const int64_t tags[] = {
#define TAG(name) DT_##name,
    TAGS(TAG)
#undef TAG
};
#define ABSENT UINT64_MAX

/* What is needed while the file is read, and no longer. */
struct reader {
    struct ts_elf_file *file;
    const struct machine *machine;
    struct region *regions;
    size_t region_count;
    bool has_interpreter;
    bool has_relro;
    bool is_program;
    uint64_t dynamic[TAG_COUNT];
    const char *strings;
    size_t strings_end; /* behind the last NUL: a name is valid when it begins before */
    Elf_Data *symbols;
    size_t symbol_count;
    Elf_Data *versions;         /* of the symbols */
    const char **version_names; /* by number */
    size_t version_count;
    size_t version_capacity;
    struct {
        struct ts_elf_import import;
        uint64_t slot; /* its address, where it is one */
    } * found;
    size_t found_count;
    size_t found_capacity;
};

/* `bytes` at `address`, or what the file has of them, in whole items; NULL: none. */
static Elf_Data *read_table(const struct reader *reader, uint64_t address, uint64_t bytes, Elf_Type type,
                            size_t item_bytes) {
    for (size_t i = 0; address != ABSENT && i < reader->region_count; i++) {
        const struct region *region = &reader->regions[i];
        if (address < region->address || address - region->address >= region->bytes)
            continue;
        uint64_t into = address - region->address, left = region->bytes - into;
        bytes = bytes < left ? bytes : left;
        bytes = bytes < TABLE_BYTES_MOST ? bytes : TABLE_BYTES_MOST;
        bytes -= bytes % item_bytes;
        return bytes ? elf_getdata_rawchunk(reader->file->elf, (int64_t)(region->offset + into), bytes, type) : NULL;
    }
    return NULL;
}

static const char *string_at(const struct reader *reader, uint64_t offset) {
    return offset < reader->strings_end ? reader->strings + offset : NULL;
}

/* A text of the file, whole; NULL: the segment holds none. */
static const char *read_text(struct reader *reader, const GElf_Phdr *segment) {
    uint64_t bytes = segment->p_filesz < PATH_MAX ? segment->p_filesz : PATH_MAX;
    Elf_Data *text =
        bytes ? elf_getdata_rawchunk(reader->file->elf, (int64_t)segment->p_offset, bytes, ELF_T_BYTE) : NULL;
    return text && memchr(text->d_buf, '\0', text->d_size) ? text->d_buf : NULL;
}

/* Go's linker leaves a note of its own. */
static bool has_go_note(struct reader *reader, const GElf_Phdr *segment) {
    uint64_t bytes = segment->p_filesz < NOTES_BYTES_MOST ? segment->p_filesz : NOTES_BYTES_MOST;
    Elf_Type type = segment->p_align == 8 ? ELF_T_NHDR8 : ELF_T_NHDR;
    Elf_Data *notes = bytes ? elf_getdata_rawchunk(reader->file->elf, (int64_t)segment->p_offset, bytes, type) : NULL;
    size_t at = 0, name, description;
    GElf_Nhdr note;
    while (notes && (at = gelf_getnote(notes, at, &note, &name, &description)))
        if (note.n_type == GO_BUILD_ID_NOTE && note.n_namesz == sizeof "Go" + 1 &&
            !memcmp((const char *)notes->d_buf + name, "Go", sizeof "Go"))
            return true;
    return false;
}

/* Returns the dynamic section's segment; its p_filesz is 0 when there is none. */
static GElf_Phdr read_segments(struct reader *reader, uint64_t file_bytes) {
    GElf_Phdr segment, dynamic = {.p_filesz = 0};
    size_t count = 0, capacity = 0;
    elf_getphdrnum(reader->file->elf, &count);
    for (size_t i = 0; i < count && i <= INT32_MAX && gelf_getphdr(reader->file->elf, (int)i, &segment); i++) {
        bool is_cut = segment.p_offset > file_bytes || segment.p_filesz > file_bytes - segment.p_offset;
        reader->file->is_cut |= is_cut && segment.p_type == PT_LOAD;
        if (segment.p_offset > file_bytes)
            continue;
        if (is_cut)
            segment.p_filesz = file_bytes - segment.p_offset;
        reader->has_interpreter |= segment.p_type == PT_INTERP;
        reader->has_relro |= segment.p_type == PT_GNU_RELRO;
        if (segment.p_type == PT_INTERP)
            reader->file->interpreter = read_text(reader, &segment);
        if (segment.p_type == PT_NOTE)
            reader->file->is_go |= has_go_note(reader, &segment);
        if (segment.p_type == PT_DYNAMIC)
            dynamic = segment;
        if (segment.p_type != PT_LOAD)
            continue;
        reader->regions = ts_memory_grow(reader->regions, &capacity, reader->region_count + 1, sizeof *reader->regions);
        reader->regions[reader->region_count++] =
            (struct region){segment.p_vaddr, segment.p_filesz, segment.p_offset, segment.p_flags & PF_X};
    }
    return dynamic;
}

static void read_strings(struct reader *reader) {
    Elf_Data *strings = read_table(reader, reader->dynamic[TAG_STRTAB], reader->dynamic[TAG_STRSZ], ELF_T_BYTE, 1);
    const char *last = strings ? memrchr(strings->d_buf, '\0', strings->d_size) : NULL;
    if (last) {
        reader->strings = strings->d_buf;
        reader->strings_end = (size_t)(last - reader->strings);
    }
}

/* Fills reader->dynamic in, and what the file itself keeps of it. */
static void read_dynamic(struct reader *reader, const GElf_Phdr *segment) {
    struct ts_elf_file *file = reader->file;
    size_t capacity = 0, count = 0, bytes = segment->p_filesz < TABLE_BYTES_MOST ? segment->p_filesz : TABLE_BYTES_MOST;
    bytes -= bytes % sizeof(Elf64_Dyn);
    Elf_Data *table = bytes ? elf_getdata_rawchunk(file->elf, (int64_t)segment->p_offset, bytes, ELF_T_DYN) : NULL;
    uint64_t *needed = NULL;
    GElf_Dyn entry;
    for (enum tag tag = 0; tag < TAG_COUNT; tag++)
        reader->dynamic[tag] = ABSENT;
    for (int i = 0; table && gelf_getdyn(table, i, &entry) && entry.d_tag != DT_NULL; i++) {
        for (enum tag tag = 0; tag < TAG_COUNT; tag++)
            if (entry.d_tag == tags[tag])
                reader->dynamic[tag] = entry.d_un.d_val;
        if (entry.d_tag == DT_NEEDED) {
            needed = ts_memory_grow(needed, &capacity, count + 1, sizeof *needed);
            needed[count++] = entry.d_un.d_val;
        }
    }
    read_strings(reader);
    file->soname = string_at(reader, reader->dynamic[TAG_SONAME]);
    file->rpath = string_at(reader, reader->dynamic[TAG_RPATH]);
    file->runpath = string_at(reader, reader->dynamic[TAG_RUNPATH]);
    file->needed = ts_memory_new(count, sizeof *file->needed);
    for (size_t i = 0; i < count; i++)
        if ((file->needed[file->needed_count] = string_at(reader, needed[i])))
            file->needed_count++;
    free(needed);

    bool has_flags = reader->dynamic[TAG_FLAGS] != ABSENT, has_flags_1 = reader->dynamic[TAG_FLAGS_1] != ABSENT;
    file->has_versions = reader->dynamic[TAG_VERDEF] != ABSENT;
    file->is_symbolic =
        reader->dynamic[TAG_SYMBOLIC] != ABSENT || (has_flags && reader->dynamic[TAG_FLAGS] & DF_SYMBOLIC);
    file->is_sealed = reader->has_relro && (reader->dynamic[TAG_BIND_NOW] != ABSENT ||
                                            (has_flags && reader->dynamic[TAG_FLAGS] & DF_BIND_NOW) ||
                                            (has_flags_1 && reader->dynamic[TAG_FLAGS_1] & DF_1_NOW));
    /* A static program that may lie anywhere looks like a library but for this. */
    reader->is_program |= has_flags_1 && reader->dynamic[TAG_FLAGS_1] & DF_1_PIE;
}

static uint32_t word(const Elf_Data *data, size_t at) {
    return data && at < data->d_size / sizeof(uint32_t) ? ((const uint32_t *)data->d_buf)[at] : 0;
}

/* The dynamic symbol table does not tell its length; the hash table over its defined symbols does. */
static uint64_t count_hashed(const struct reader *reader) {
    enum { BUCKETS, FIRST, BLOOM_WORDS, HEADER_WORDS = 4 };
    uint64_t table = reader->dynamic[TAG_GNU_HASH];
    if (reader->dynamic[TAG_HASH] != ABSENT)
        return word(read_table(reader, reader->dynamic[TAG_HASH], 8, ELF_T_WORD, 4), 1);
    Elf_Data *header = read_table(reader, table, HEADER_WORDS * 4, ELF_T_WORD, 4);
    uint64_t buckets_at = table + HEADER_WORDS * 4 + 8 * (uint64_t)word(header, BLOOM_WORDS);
    uint64_t bucket_count = word(header, BUCKETS), first = word(header, FIRST), last = 0;
    Elf_Data *buckets = read_table(reader, buckets_at, bucket_count * 4, ELF_T_WORD, 4);
    for (uint64_t i = 0; i < bucket_count && buckets && i < buckets->d_size / 4; i++)
        last = word(buckets, i) > last ? word(buckets, i) : last;
    if (last < first)
        return first;
    /* The chain of the last bucket ends with an odd word. */
    uint64_t chain = buckets_at + 4 * (bucket_count + last - first);
    Elf_Data *rest = read_table(reader, chain, CHAIN_BYTES_MOST, ELF_T_WORD, 4);
    uint64_t length = 0;
    while (rest && length < rest->d_size / 4 && !(word(rest, length) & 1))
        length++;
    return last + length + 1;
}

static uint64_t count_relocated(Elf_Data *table) {
    GElf_Rela relocation;
    uint64_t count = 0;
    for (int i = 0; table && gelf_getrela(table, i, &relocation); i++)
        if (GELF_R_SYM(relocation.r_info) + 1 > count)
            count = GELF_R_SYM(relocation.r_info) + 1;
    return count;
}

static void add_version(struct reader *reader, uint16_t number, uint64_t name) {
    number &= VERSION_NUMBER;
    reader->version_names = ts_memory_grow(reader->version_names, &reader->version_capacity, (size_t)number + 1,
                                           sizeof *reader->version_names);
    while (reader->version_count <= number)
        reader->version_names[reader->version_count++] = NULL;
    reader->version_names[number] = string_at(reader, name);
}

/* The versions that the file asks others for. Both walks end, however their links run: each step has its own entry. */
static void read_needed_versions(struct reader *reader) {
    Elf_Data *table = read_table(reader, reader->dynamic[TAG_VERNEED], VERSIONS_BYTES_MOST, ELF_T_VNEED, 1);
    size_t at = 0, budget = table ? table->d_size / sizeof(Elf64_Vernaux) : 0;
    GElf_Verneed need;
    GElf_Vernaux version;
    for (uint64_t i = 0; i < reader->dynamic[TAG_VERNEEDNUM] && table && at <= INT32_MAX; i++) {
        if (!gelf_getverneed(table, (int)at, &need))
            return;
        size_t version_at = at + need.vn_aux;
        for (uint32_t k = 0; k < need.vn_cnt && version_at <= INT32_MAX; k++) {
            if (!budget-- || !gelf_getvernaux(table, (int)version_at, &version))
                return;
            add_version(reader, version.vna_other, version.vna_name);
            version_at += version.vna_next;
        }
        if (!need.vn_next || !budget--)
            return;
        at += need.vn_next;
    }
}

/* Those that it defines. */
static void read_defined_versions(struct reader *reader) {
    Elf_Data *table = read_table(reader, reader->dynamic[TAG_VERDEF], VERSIONS_BYTES_MOST, ELF_T_VDEF, 1);
    size_t at = 0, budget = table ? table->d_size / sizeof(Elf64_Verdef) : 0;
    GElf_Verdef definition;
    GElf_Verdaux name;
    for (uint64_t i = 0; i < reader->dynamic[TAG_VERDEFNUM] && table && at <= INT32_MAX && budget; i++, budget--) {
        if (!gelf_getverdef(table, (int)at, &definition))
            return;
        size_t name_at = at + definition.vd_aux;
        if (name_at <= INT32_MAX && gelf_getverdaux(table, (int)name_at, &name))
            add_version(reader, definition.vd_ndx, name.vda_name);
        if (!definition.vd_next)
            return;
        at += definition.vd_next;
    }
}

static const char *version_of(const struct reader *reader, uint64_t symbol) {
    GElf_Versym version;
    if (!reader->versions || !gelf_getversym(reader->versions, (int)symbol, &version))
        return NULL;
    version &= VERSION_NUMBER;
    return version > VER_NDX_GLOBAL && version < reader->version_count ? reader->version_names[version] : NULL;
}

static void read_relocation(struct reader *reader, const GElf_Rela *relocation) {
    GElf_Sym symbol;
    uint32_t type = (uint32_t)GELF_R_TYPE(relocation->r_info);
    uint64_t number = GELF_R_SYM(relocation->r_info);
    enum ts_elf_through through = TS_ELF_CALL;
    if (type == reader->machine->pointer)
        through = TS_ELF_POINTER;
    else if (type == reader->machine->data)
        through = TS_ELF_DATA;
    else if (type != reader->machine->call)
        return;
    if (!number || number >= reader->symbol_count || !gelf_getsym(reader->symbols, (int)number, &symbol))
        return;
    const char *name = string_at(reader, symbol.st_name);
    int kind = GELF_ST_TYPE(symbol.st_info);
    if (!name || !name[0] || GELF_ST_BIND(symbol.st_info) == STB_LOCAL || kind == STT_OBJECT || kind == STT_TLS)
        return;
    reader->found =
        ts_memory_grow(reader->found, &reader->found_capacity, reader->found_count + 1, sizeof *reader->found);
    reader->found[reader->found_count].slot = relocation->r_offset;
    reader->found[reader->found_count++].import = (struct ts_elf_import){
        .symbol = name,
        .version = version_of(reader, number),
        .through = through,
        .is_canonical = symbol.st_shndx == SHN_UNDEF && symbol.st_value,
    };
}

static int compare_slots(const void *left, const void *right) {
    const struct ts_elf_slot *a = left, *b = right;
    return (a->address > b->address) - (a->address < b->address);
}

/* A slot of the GOT that no code calls through holds an address that is compared or handed on. */
static void tell_calls_from_addresses(struct reader *reader) {
    if (reader->machine->number != EM_X86_64)
        return;
    struct ts_elf_slot *slots = ts_memory_new(reader->found_count, sizeof *slots);
    size_t count = 0;
    for (size_t i = 0; i < reader->found_count; i++)
        if (reader->found[i].import.through == TS_ELF_POINTER)
            slots[count++] = (struct ts_elf_slot){.address = reader->found[i].slot};
    qsort(slots, count, sizeof *slots, compare_slots);
    uint64_t left = CODE_BYTES_MOST;
    for (size_t i = 0; i < reader->region_count; i++) {
        const struct region *region = &reader->regions[i];
        uint64_t bytes = region->bytes < left ? region->bytes : left;
        if (!region->is_code)
            continue;
        ts_elf_calls_find(reader->file->fd, region->offset, region->address, bytes, slots, count);
        left -= bytes;
    }
    for (size_t i = 0; i < reader->found_count; i++) {
        struct ts_elf_slot key = {.address = reader->found[i].slot}, *slot;
        if (reader->found[i].import.through != TS_ELF_POINTER)
            continue;
        slot = bsearch(&key, slots, count, sizeof *slots, compare_slots);
        if (!slot->is_called)
            reader->found[i].import.through = TS_ELF_ADDRESS;
    }
    free(slots);
}

static void keep_imports(struct reader *reader) {
    struct ts_elf_file *file = reader->file;
    file->imports = ts_memory_new(reader->found_count, sizeof *file->imports);
    for (size_t i = 0; i < reader->found_count; i++)
        file->imports[file->import_count++] = reader->found[i].import;
}

static void read_functions(struct reader *reader) {
    struct ts_elf_file *file = reader->file;
    GElf_Sym symbol;
    size_t capacity = 0;
    for (size_t i = 1; i < reader->symbol_count && gelf_getsym(reader->symbols, (int)i, &symbol); i++) {
        int kind = GELF_ST_TYPE(symbol.st_info), visibility = GELF_ST_VISIBILITY(symbol.st_other);
        const char *name = string_at(reader, symbol.st_name);
        if (symbol.st_shndx == SHN_UNDEF || GELF_ST_BIND(symbol.st_info) == STB_LOCAL || !name || !name[0] ||
            visibility == STV_HIDDEN || visibility == STV_INTERNAL || (kind != STT_FUNC && kind != STT_GNU_IFUNC))
            continue;
        file->functions = ts_memory_grow(file->functions, &capacity, file->function_count + 1, sizeof *file->functions);
        file->functions[file->function_count++] = (struct ts_elf_function){name, version_of(reader, i)};
    }
}

static void read_all(struct reader *reader, uint64_t file_bytes) {
    const uint64_t *dynamic = reader->dynamic;
    GElf_Rela relocation;
    GElf_Phdr segment = read_segments(reader, file_bytes);
    read_dynamic(reader, &segment);
    Elf_Data *tables[] = {
        read_table(reader, dynamic[TAG_JMPREL], dynamic[TAG_PLTRELSZ], ELF_T_RELA, sizeof(Elf64_Rela)),
        read_table(reader, dynamic[TAG_RELA], dynamic[TAG_RELASZ], ELF_T_RELA, sizeof(Elf64_Rela)),
    };
    enum { TABLES = sizeof tables / sizeof *tables };
    uint64_t count = count_hashed(reader);
    for (size_t i = 0; i < TABLES; i++)
        count = count_relocated(tables[i]) > count ? count_relocated(tables[i]) : count;
    reader->symbols = read_table(reader, dynamic[TAG_SYMTAB], count * sizeof(Elf64_Sym), ELF_T_SYM, sizeof(Elf64_Sym));
    reader->symbol_count = reader->symbols ? reader->symbols->d_size / sizeof(Elf64_Sym) : 0;
    reader->versions = read_table(reader, dynamic[TAG_VERSYM], reader->symbol_count * 2, ELF_T_HALF, 2);
    read_needed_versions(reader);
    read_defined_versions(reader);
    for (size_t i = 0; i < TABLES; i++)
        for (int k = 0; tables[i] && gelf_getrela(tables[i], k, &relocation); k++)
            read_relocation(reader, &relocation);
    tell_calls_from_addresses(reader);
    keep_imports(reader);
    read_functions(reader);
}

int ts_elf_dynamic_read(struct ts_elf_file *file, uint16_t machine, bool is_executable, uint64_t file_bytes) {
    struct reader reader = {.file = file, .is_program = is_executable};
    elf_version(EV_CURRENT);
    file->elf = elf_begin(file->fd, ELF_C_READ, NULL);
    for (size_t i = 0; i < sizeof machines / sizeof *machines; i++)
        if (machines[i].number == machine)
            reader.machine = &machines[i];
    if (!file->elf || elf_kind(file->elf) != ELF_K_ELF || !reader.machine)
        return -1;
    read_all(&reader, file_bytes);
    file->is_static = reader.is_program && !reader.has_interpreter;
    file->is_fixed = is_executable;
    free(reader.regions);
    free(reader.version_names);
    free(reader.found);
    return 0;
}

void ts_elf_dynamic_close(struct ts_elf_file *file) {
    elf_end(file->elf);
}
