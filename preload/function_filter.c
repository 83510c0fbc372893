#include "preload/function_filter.h"
#include "collector/system.h"
#include "collector/text.h"
#include "preload/glob.h"

#include <elf.h>
#include <fcntl.h>
#include <sys/mman.h>

uint8_t ts_function_filter_bits[TS_FUNCTION_FILTER_BITS / 8];
uint8_t ts_function_filter_mixed[TS_FUNCTION_FILTER_BITS / 8];

/* Addresses of wanted functions whose bit is shared with unwanted ones: sorted, replaced as a whole. */
static struct {
    uint64_t *addresses;
    uint64_t count;
    uint64_t capacity;
} listed;

static const char *selection;

/* The C++ runtime of the program, if it has one: names are then matched as people write them. */
extern char *__cxa_demangle(const char *name, char *buffer, size_t *length, int *status) __attribute__((weak));
extern void free(void *memory);

void ts_function_filter_begin(const char *globs) {
    selection = globs;
    if (globs)
        return;
    for (unsigned i = 0; i < sizeof ts_function_filter_bits; i++)
        ts_function_filter_bits[i] = 0xff;
}

int ts_function_filter_is_on(void) {
    return selection != NULL;
}

int ts_function_filter_listed(uint64_t function) {
    uint64_t low = 0, high = listed.count;
    while (low < high) {
        uint64_t middle = low + (high - low) / 2;
        if (listed.addresses[middle] < function)
            low = middle + 1;
        else
            high = middle;
    }
    return low < listed.count && listed.addresses[low] == function;
}

static int list(uint64_t function) {
    if (listed.count == listed.capacity) {
        uint64_t capacity = listed.capacity ? 2 * listed.capacity : 512;
        int64_t bytes = ts_system_mmap(NULL, capacity * sizeof *listed.addresses, PROT_READ | PROT_WRITE,
                                       MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        if (ts_system_failed(bytes))
            return -1;
        uint64_t *addresses = (uint64_t *)bytes;
        for (uint64_t i = 0; i < listed.count; i++)
            addresses[i] = listed.addresses[i];
        listed.addresses = addresses; /* the old one stays for whoever reads it */
        listed.capacity = capacity;
    }
    uint64_t at = listed.count;
    for (; at && listed.addresses[at - 1] > function; at--)
        listed.addresses[at] = listed.addresses[at - 1];
    if (at && listed.addresses[at - 1] == function)
        return 0;
    listed.addresses[at] = function;
    listed.count++;
    return 0;
}

/* Cuts parameters and return type off a demangled name, in place: "int a::b<int>(char)" becomes "a::b<int>". */
static char *qualified_name(char *name) {
    static const char unnamed[] = "(anonymous namespace)::";
    char *start = name;
    int depth = 0;
    for (char *at = name; *at; at++) {
        if (ts_text_begins(at, "operator")) {
            at += 8;
            if (ts_text_begins(at, "()"))
                at += 2;
            while (*at == '<' || *at == '>' || *at == '-' || *at == '=')
                at++;
            if (*at == ' ') /* operator new, operator int */
                while (*at && *at != '(')
                    at++;
            at--;
        } else if (ts_text_begins(at, unnamed)) { /* the renderer leaves it out too */
            char *to = at;
            for (const char *from = at + sizeof unnamed - 1; (*to++ = *from++);)
                ;
            at--;
        } else if (*at == '<') {
            depth++;
        } else if (*at == '>') {
            depth -= depth > 0;
        } else if (depth == 0 && *at == ' ') {
            start = at + 1;
        } else if (depth == 0 && *at == '(') {
            *at = 0;
            break;
        }
    }
    return start;
}

static int wanted(const char *name) {
    if (name[0] == '_' && name[1] == 'Z' && __cxa_demangle) {
        int status = -1;
        char *demangled = __cxa_demangle(name, NULL, NULL, &status);
        if (demangled) {
            int yes = ts_glob_list_selects(selection, qualified_name(demangled));
            free(demangled);
            return yes;
        }
    }
    return ts_glob_list_selects(selection, name);
}

static uint64_t index_of(uint64_t function) {
    return function >> 4 & (TS_FUNCTION_FILTER_BITS - 1);
}

struct symbols {
    const Elf64_Sym *symbols;
    uint64_t count;
    const char *names;
    uint64_t names_bytes;
};

/* .symtab, or .dynsym when the file is stripped; every offset is checked against the file's size. */
static int find_symbols(const uint8_t *file, uint64_t bytes, struct symbols *found) {
    const Elf64_Ehdr *header = (const Elf64_Ehdr *)file;
    if (bytes < sizeof *header || header->e_ident[EI_MAG0] != ELFMAG0 || header->e_ident[EI_CLASS] != ELFCLASS64 ||
        header->e_shentsize != sizeof(Elf64_Shdr) || header->e_shoff > bytes ||
        header->e_shnum > (bytes - header->e_shoff) / sizeof(Elf64_Shdr))
        return -1;
    const Elf64_Shdr *sections = (const Elf64_Shdr *)(file + header->e_shoff);
    const Elf64_Shdr *table = NULL;
    for (unsigned i = 0; i < header->e_shnum; i++)
        if (sections[i].sh_type == SHT_SYMTAB || (sections[i].sh_type == SHT_DYNSYM && !table))
            table = &sections[i];
    if (!table || table->sh_link >= header->e_shnum)
        return -1;
    const Elf64_Shdr *names = &sections[table->sh_link];
    if (table->sh_offset > bytes || table->sh_size > bytes - table->sh_offset || names->sh_offset > bytes ||
        names->sh_size > bytes - names->sh_offset || names->sh_size == 0 || file[names->sh_offset + names->sh_size - 1])
        return -1;
    found->symbols = (const Elf64_Sym *)(file + table->sh_offset);
    found->count = table->sh_size / sizeof(Elf64_Sym);
    found->names = (const char *)file + names->sh_offset;
    found->names_bytes = names->sh_size;
    return 0;
}

/* Without symbols nothing can be told apart: all of the module's code, or none of it. */
static void set_range(uint64_t low, uint64_t high, int want) {
    for (uint64_t at = low; want && at < high; at += 16)
        ts_function_filter_bits[index_of(at) >> 3] |= (uint8_t)(1u << (index_of(at) & 7));
}

static int64_t add_symbols(const struct symbols *found, uint64_t bias) {
    int64_t count = 0;
    /* First the wanted functions, then those that share a bit with one, then the exact list for such bits. */
    for (int pass = 0; pass < 3; pass++)
        for (uint64_t i = 0; i < found->count; i++) {
            const Elf64_Sym *symbol = &found->symbols[i];
            if (ELF64_ST_TYPE(symbol->st_info) != STT_FUNC || !symbol->st_value ||
                symbol->st_name >= found->names_bytes)
                continue;
            uint64_t function = bias + symbol->st_value, index = index_of(function);
            uint8_t bit = (uint8_t)(1u << (index & 7));
            int want = wanted(found->names + symbol->st_name);
            if (pass == 0 && want) {
                ts_function_filter_bits[index >> 3] |= bit;
                count++;
            } else if (pass == 1 && !want && (ts_function_filter_bits[index >> 3] & bit)) {
                ts_function_filter_mixed[index >> 3] |= bit;
            } else if (pass == 2 && want && (ts_function_filter_mixed[index >> 3] & bit) && list(function)) {
                return count;
            }
        }
    return count;
}

int64_t ts_function_filter_add_module(const char *path, uint64_t bias, uint64_t low, uint64_t high) {
    struct stat status;
    struct symbols found;
    int64_t count = -1;
    if (!selection)
        return 0;
    int64_t fd = ts_system_open(path, O_RDONLY | O_CLOEXEC, 0);
    if (!ts_system_failed(fd)) {
        if (!ts_system_failed(ts_system_fstat((int)fd, &status)) && status.st_size > 0) {
            uint64_t bytes = (uint64_t)status.st_size;
            int64_t file = ts_system_mmap(NULL, bytes, PROT_READ, MAP_PRIVATE, (int)fd, 0);
            if (!ts_system_failed(file)) {
                if (find_symbols((const uint8_t *)file, bytes, &found) == 0)
                    count = add_symbols(&found, bias);
                ts_system_munmap((void *)file, bytes);
            }
        }
        ts_system_close((int)fd);
    }
    if (count < 0)
        set_range(low, high, ts_glob_list_selects(selection, ""));
    return count;
}
