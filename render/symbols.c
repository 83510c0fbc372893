#include "render/symbols.h"

#include "render/debug_paths.h"
#include "render/dwarf_lines.h"
#include "render/memory.h"
#include "render/symbol_table.h"

#include <elfutils/libdw.h>
#include <elfutils/libdwelf.h>
#include <errno.h>
#include <fcntl.h>
#include <gelf.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define REBUILT "%s was rebuilt since the trace (build-id differs; keep the old file)"
#define LINKAGE_ENTRY_BYTES 16 /* on x86-64 and aarch64 */

/* Read, not mapped: a linker may rewrite the file while we look. All zero but fd -1: none. */
struct elf_file {
    int fd;
    Elf *elf;
};
#define NO_FILE ((struct elf_file){.fd = -1})

struct ts_symbols {
    char *path;
    struct elf_file file;  /* as the program mapped it; none where only its debug file was found */
    struct elf_file debug; /* separate debug file */
    bool debug_tried;
    bool has_local;
    struct ts_symbol_table table; /* names point into the Elf that they come from */
    struct ts_dwarf_lines *lines;
    bool lines_tried;
    Dwarf_CFI *frames; /* .eh_frame */
    bool frames_tried;
};

/* Where a section lies and whether it holds code, by section index. */
struct section {
    uint64_t address;
    uint64_t end;
    bool code;
};

static void file_close(struct elf_file *file) {
    elf_end(file->elf);
    if (file->fd >= 0)
        close(file->fd);
    *file = NO_FILE;
}

/* O_NONBLOCK: a FIFO put in the file's place must not hang us. */
static int file_open(struct elf_file *file, const char *path, struct ts_error *error) {
    struct stat status;
    *file = NO_FILE;
    elf_version(EV_CURRENT);
    file->fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    if (file->fd < 0) {
        if (errno == ENOENT || errno == ENOTDIR)
            return ts_error_set(error, "%s is gone", path);
        return ts_error_set(error, "%s cannot be read (%s)", path, strerror(errno));
    }
    if (fstat(file->fd, &status) == 0 && S_ISREG(status.st_mode))
        file->elf = elf_begin(file->fd, ELF_C_READ, NULL);
    if (!file->elf || elf_kind(file->elf) != ELF_K_ELF) {
        file_close(file);
        return ts_error_set(error, "%s is no ELF file", path);
    }
    return 0;
}

static bool has_build_id(const struct elf_file *file, const void *id, size_t bytes) {
    const void *own;
    ssize_t own_bytes = dwelf_elf_gnu_build_id(file->elf, &own);
    return own_bytes > 0 && (size_t)own_bytes == bytes && !memcmp(own, id, bytes);
}

static bool find_debug_by_build_id(struct ts_symbols *symbols, const void *id, size_t bytes) {
    struct ts_error ignored;
    char *path = ts_debug_paths_by_build_id(id, bytes);
    bool found = path && file_open(&symbols->debug, path, &ignored) == 0;
    free(path);
    if (found && !has_build_id(&symbols->debug, id, bytes)) {
        file_close(&symbols->debug);
        return false;
    }
    return found;
}

static bool find_debug_by_link(struct ts_symbols *symbols) {
    GElf_Word checksum;
    struct ts_error ignored;
    char *paths[TS_DEBUG_LINK_PATHS];
    const void *id;
    ssize_t id_bytes = dwelf_elf_gnu_build_id(symbols->file.elf, &id);
    const char *link = dwelf_elf_gnu_debuglink(symbols->file.elf, &checksum);
    if (!link || !ts_debug_paths_by_link(symbols->path, link, paths))
        return false;

    bool found = false;
    for (size_t i = 0; i < TS_DEBUG_LINK_PATHS; i++) {
        if (!found && file_open(&symbols->debug, paths[i], &ignored) == 0) {
            /* The build-id is the same guard as the checksum, without reading the whole file. */
            found = id_bytes > 0 ? has_build_id(&symbols->debug, id, (size_t)id_bytes)
                                 : ts_debug_paths_checksum_matches(symbols->debug.fd, checksum);
            if (!found)
                file_close(&symbols->debug);
        }
        free(paths[i]);
    }
    return found;
}

static void find_debug(struct ts_symbols *symbols) {
    const void *id;
    if (symbols->debug_tried)
        return;
    symbols->debug_tried = true;
    ssize_t bytes = dwelf_elf_gnu_build_id(symbols->file.elf, &id);
    if (bytes <= 0 || !find_debug_by_build_id(symbols, id, (size_t)bytes))
        find_debug_by_link(symbols);
}

static struct section *read_sections(Elf *elf, size_t *count) {
    struct section *sections = NULL;
    size_t capacity = 0;
    GElf_Shdr header;
    *count = 0;
    for (Elf_Scn *scn = NULL; (scn = elf_nextscn(elf, scn));) {
        size_t index = elf_ndxscn(scn);
        sections = ts_memory_grow(sections, &capacity, index + 1, sizeof *sections);
        for (; *count <= index; ++*count)
            sections[*count] = (struct section){.address = 0};
        if (!gelf_getshdr(scn, &header) || header.sh_size > UINT64_MAX - header.sh_addr)
            continue;
        sections[index] =
            (struct section){header.sh_addr, header.sh_addr + header.sh_size, header.sh_flags & SHF_EXECINSTR};
    }
    return sections;
}

/* A bare label is taken for a function only in code; ARM's `$x`, `$d` mark instruction sets and data. */
static bool is_function(const GElf_Sym *symbol, const char *name, bool in_code) {
    switch (GELF_ST_TYPE(symbol->st_info)) {
    case STT_FUNC:
    case STT_GNU_IFUNC:
        return name[0] != '\0';
    case STT_NOTYPE:
        return in_code && name[0] != '\0' && name[0] != '$';
    default:
        return false;
    }
}

static enum ts_symbol_rank rank_of(const GElf_Sym *symbol) {
    if (GELF_ST_TYPE(symbol->st_info) == STT_NOTYPE)
        return TS_SYMBOL_LABEL;
    switch (GELF_ST_BIND(symbol->st_info)) {
    case STB_LOCAL:
        return TS_SYMBOL_LOCAL;
    case STB_WEAK:
        return TS_SYMBOL_WEAK;
    default:
        return TS_SYMBOL_GLOBAL;
    }
}

static void read_symbol(struct ts_symbol_table *table, const GElf_Sym *symbol, const char *name,
                        const struct section *sections, size_t section_count) {
    uint64_t limit = UINT64_MAX;
    bool in_code = false;
    /* A function of a library whose address is, for everyone, the entry for it in the linkage table of this program. */
    if (symbol->st_shndx == SHN_UNDEF && symbol->st_value && GELF_ST_TYPE(symbol->st_info) == STT_FUNC && name[0])
        ts_symbol_table_add(table, name, symbol->st_value, LINKAGE_ENTRY_BYTES, UINT64_MAX, rank_of(symbol));
    if (symbol->st_shndx == SHN_UNDEF || (symbol->st_shndx >= SHN_LORESERVE && symbol->st_shndx != SHN_XINDEX))
        return;
    if (symbol->st_shndx < section_count) {
        const struct section *section = &sections[symbol->st_shndx];
        if (symbol->st_value < section->address)
            return;
        limit = section->end;
        in_code = section->code;
    }
    if (is_function(symbol, name, in_code))
        ts_symbol_table_add(table, name, symbol->st_value, symbol->st_size, limit, rank_of(symbol));
}

/* All functions of the first section of this type. Returns whether there is such a section. */
static bool read_table(struct ts_symbol_table *table, Elf *elf, GElf_Word type) {
    GElf_Shdr header;
    Elf_Scn *scn = NULL;
    do
        scn = elf_nextscn(elf, scn);
    while (scn && (!gelf_getshdr(scn, &header) || header.sh_type != type));
    if (!scn)
        return false;
    Elf_Data *data = elf_getdata(scn, NULL);
    Elf_Scn *strings_scn = elf_getscn(elf, header.sh_link);
    Elf_Data *strings = strings_scn ? elf_getdata(strings_scn, NULL) : NULL;
    if (!data || !strings || !strings->d_buf || !strings->d_size)
        return false;
    /* A name is valid when it begins before the last NUL: one test a name, however long the table. */
    const char *last_nul = memrchr(strings->d_buf, '\0', strings->d_size);
    size_t names_end = last_nul ? (size_t)(last_nul - (const char *)strings->d_buf) : 0;

    size_t section_count;
    struct section *sections = read_sections(elf, &section_count);
    size_t symbol_bytes = gelf_fsize(elf, ELF_T_SYM, 1, EV_CURRENT);
    size_t count = symbol_bytes ? data->d_size / symbol_bytes : 0;
    GElf_Sym symbol;
    for (size_t i = 0; i < count && i <= INT32_MAX; i++)
        if (gelf_getsym(data, (int)i, &symbol) && symbol.st_name < names_end)
            read_symbol(table, &symbol, (const char *)strings->d_buf + symbol.st_name, sections, section_count);
    free(sections);
    return true;
}

/* .symtab of the file or of its debug file; .dynsym, which lacks static functions, only where there is neither. */
static void read_tables(struct ts_symbols *symbols) {
    struct ts_symbol_table *table = &symbols->table;
    bool full = symbols->file.elf && read_table(table, symbols->file.elf, SHT_SYMTAB) && table->count;
    if (!full && symbols->file.elf)
        find_debug(symbols);
    if (!full && symbols->debug.elf)
        full = read_table(table, symbols->debug.elf, SHT_SYMTAB) && table->count;
    if (!full && symbols->file.elf)
        read_table(table, symbols->file.elf, SHT_DYNSYM);
    symbols->has_local = full;
    ts_symbol_table_finish(table);
}

struct ts_symbols *ts_symbols_open(const char *path, const uint8_t *build_id, uint32_t build_id_bytes,
                                   struct ts_error *error) {
    struct ts_symbols *symbols = ts_memory_new(1, sizeof *symbols);
    symbols->path = ts_memory_text("%s", path);
    symbols->debug = NO_FILE;

    int opened = file_open(&symbols->file, path, error);
    if (opened == 0 && build_id_bytes && !has_build_id(&symbols->file, build_id, build_id_bytes)) {
        opened = ts_error_set(error, REBUILT, path);
        file_close(&symbols->file);
    }
    if (opened != 0) {
        /* The file of the trace is lost, but its debug file may still be installed. */
        symbols->debug_tried = true;
        if (!build_id_bytes || !find_debug_by_build_id(symbols, build_id, build_id_bytes))
            goto failed;
    }
    read_tables(symbols);
    if (!symbols->table.count) {
        ts_error_set(error, "%s has no symbols (stripped)", path);
        goto failed;
    }
    return symbols;
failed:
    ts_symbols_close(symbols);
    return NULL;
}

void ts_symbols_close(struct ts_symbols *symbols) {
    if (!symbols)
        return;
    ts_dwarf_lines_close(symbols->lines);
    dwarf_cfi_end(symbols->frames);
    ts_symbol_table_free(&symbols->table);
    file_close(&symbols->debug);
    file_close(&symbols->file);
    free(symbols->path);
    free(symbols);
}

static struct ts_symbol symbol_of(const struct ts_symbol_entry *entry) {
    return (struct ts_symbol){.linkage_name = entry->name, .address = entry->address, .bytes = entry->bytes};
}

int ts_symbols_find(struct ts_symbols *symbols, uint64_t address, struct ts_symbol *symbol) {
    const struct ts_symbol_entry *entry = ts_symbol_table_find(&symbols->table, address);
    if (!entry)
        return -1;
    *symbol = symbol_of(entry);
    return 0;
}

size_t ts_symbols_count(const struct ts_symbols *symbols) {
    return symbols->table.count;
}

struct ts_symbol ts_symbols_at(const struct ts_symbols *symbols, size_t index) {
    return symbol_of(&symbols->table.entries[index]);
}

int ts_symbols_function_start(struct ts_symbols *symbols, uint64_t address, uint64_t *start) {
    Dwarf_Frame *frame;
    Dwarf_Addr begin;
    if (!symbols->frames_tried) {
        symbols->frames_tried = true;
        symbols->frames = symbols->file.elf ? dwarf_getcfi_elf(symbols->file.elf) : NULL;
    }
    if (!symbols->frames || dwarf_cfi_addrframe(symbols->frames, address, &frame) != 0)
        return -1;
    int told = dwarf_frame_info(frame, &begin, NULL, NULL) >= 0 && begin <= address;
    free(frame);
    if (told)
        *start = begin;
    return told ? 0 : -1;
}

static bool has_debug_information(Elf *elf) {
    size_t names;
    GElf_Shdr header;
    if (elf_getshdrstrndx(elf, &names) != 0)
        return false;
    for (Elf_Scn *scn = NULL; (scn = elf_nextscn(elf, scn));) {
        const char *name = gelf_getshdr(scn, &header) ? elf_strptr(elf, names, header.sh_name) : NULL;
        if (name && (!strcmp(name, ".debug_info") || !strcmp(name, ".zdebug_info")))
            return true;
    }
    return false;
}

bool ts_symbols_has_local(const struct ts_symbols *symbols) {
    return symbols->has_local;
}

/* -1: there is no debug information. */
static int debug_information_fd(struct ts_symbols *symbols) {
    if (symbols->file.elf && has_debug_information(symbols->file.elf))
        return symbols->file.fd;
    find_debug(symbols);
    return symbols->debug.fd;
}

bool ts_symbols_has_lines(struct ts_symbols *symbols) {
    return debug_information_fd(symbols) >= 0;
}

static struct ts_dwarf_lines *lines_of(struct ts_symbols *symbols) {
    if (!symbols->lines_tried) {
        symbols->lines_tried = true;
        int fd = debug_information_fd(symbols);
        if (fd >= 0)
            symbols->lines = ts_dwarf_lines_open(fd);
    }
    return symbols->lines;
}

int ts_symbols_source(struct ts_symbols *symbols, uint64_t address, struct ts_source *source) {
    struct ts_dwarf_lines *lines = lines_of(symbols);
    return lines ? ts_dwarf_lines_find(lines, address, source) : -1;
}

size_t ts_symbols_inlined(struct ts_symbols *symbols, uint64_t address, const char **names, size_t most) {
    struct ts_dwarf_lines *lines = lines_of(symbols);
    return lines ? ts_dwarf_lines_inlined(lines, address, names, most) : 0;
}

int ts_symbols_line(struct ts_symbols *symbols, uint64_t address, struct ts_source *source) {
    struct ts_dwarf_lines *lines = lines_of(symbols);
    return lines ? ts_dwarf_lines_row(lines, address, source) : -1;
}

int ts_symbols_rows(struct ts_symbols *symbols, uint64_t low, uint64_t high, struct ts_source_rows *rows) {
    struct ts_dwarf_lines *lines = lines_of(symbols);
    rows->count = 0;
    return lines ? ts_dwarf_lines_rows(lines, low, high, rows) : -1;
}

int ts_symbols_next(const struct ts_symbols *symbols, uint64_t address, struct ts_symbol *symbol) {
    const struct ts_symbol_table *table = &symbols->table;
    size_t low = 0, high = table->count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (table->entries[middle].address < address)
            low = middle + 1;
        else
            high = middle;
    }
    if (low == table->count)
        return -1;
    const struct ts_symbol_entry *entry = &table->entries[low];
    *symbol = (struct ts_symbol){
        .linkage_name = entry->name, .address = entry->address, .bytes = entry->end - entry->address};
    return 0;
}

int ts_symbols_open_file(const char *path, const uint8_t *build_id, uint32_t build_id_bytes, struct ts_error *error) {
    struct elf_file file;
    if (file_open(&file, path, error))
        return -1;
    int fd = file.fd;
    if (build_id_bytes && !has_build_id(&file, build_id, build_id_bytes))
        fd = ts_error_set(error, REBUILT, path);
    else
        file.fd = -1; /* the caller's */
    file_close(&file);
    return fd;
}
