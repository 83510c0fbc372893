#include "preload/function_filter.h"
#include "collector/glob.h"
#include "collector/kept_memory.h"
#include "collector/system.h"
#include "collector/text.h"

#include <elf.h>
#include <fcntl.h>
#include <sys/mman.h>

TS_LARGE_TABLE uint8_t ts_function_filter_unwanted[TS_FUNCTION_FILTER_BITS / 8];
TS_LARGE_TABLE uint8_t ts_function_filter_mixed[TS_FUNCTION_FILTER_BITS / 8];

/* Addresses of all wanted functions, sorted; replaced as a whole, so that calls may search it meanwhile. */
struct list {
    uint64_t count;
    uint64_t addresses[];
};
static struct list *listed;

static const char *selection;

/* The C++ runtime of the program, if it has one: names are then matched as people write them. */
extern char *__cxa_demangle(const char *name, char *buffer, size_t *length, int *status) __attribute__((weak));
extern void free(void *memory);

void ts_function_filter_begin(const char *globs) {
    selection = globs;
    for (unsigned i = 0; globs && i < sizeof ts_function_filter_unwanted; i++)
        ts_function_filter_unwanted[i] = 0xff;
}

static uint64_t index_of(uint64_t function) {
    return function >> 4 & (TS_FUNCTION_FILTER_BITS - 1);
}

static void want(uint64_t address) {
    uint64_t index = index_of(address);
    ts_function_filter_unwanted[index >> 3] &= (uint8_t) ~(1u << (index & 7));
}

int ts_function_filter_is_on(void) {
    return selection != NULL;
}

int ts_function_filter_listed(uint64_t function) {
    const struct list *list = __atomic_load_n(&listed, __ATOMIC_ACQUIRE);
    uint64_t low = 0, high = list ? list->count : 0;
    while (low < high) {
        uint64_t middle = low + (high - low) / 2;
        if (list->addresses[middle] < function)
            low = middle + 1;
        else
            high = middle;
    }
    return list && low < list->count && list->addresses[low] == function;
}

/* Heap sort: no memory, no recursion, no bad case. */
static void sift(uint64_t *heap, uint64_t at, uint64_t count) {
    for (uint64_t child; (child = 2 * at + 1) < count; at = child) {
        if (child + 1 < count && heap[child + 1] > heap[child])
            child++;
        if (heap[at] >= heap[child])
            return;
        uint64_t other = heap[at];
        heap[at] = heap[child];
        heap[child] = other;
    }
}

static void sort(uint64_t *addresses, uint64_t count) {
    for (uint64_t i = count / 2; i-- > 0;)
        sift(addresses, i, count);
    for (uint64_t end = count; end > 1; end--) {
        uint64_t largest = addresses[0];
        addresses[0] = addresses[end - 1];
        addresses[end - 1] = largest;
        sift(addresses, 0, end - 1);
    }
}

/* A copy of the list with room for `more`; the old one stays for whoever reads it. */
static struct list *copy_list(uint64_t more) {
    uint64_t count = listed ? listed->count : 0;
    int64_t memory = ts_system_mmap(NULL, sizeof(struct list) + (count + more) * sizeof(uint64_t),
                                    PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (ts_system_failed(memory))
        return NULL;
    struct list *list = (struct list *)memory;
    for (uint64_t i = 0; i < count; i++)
        list->addresses[i] = listed->addresses[i];
    list->count = count;
    return list;
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
        } else if (*at == '{') { /* {lambda(int)#1} */
            int open = 0;
            do
                open += (*at == '{') - (*at == '}');
            while (open && *++at);
            if (!*at)
                break;
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

struct symbols {
    const Elf64_Sym *symbols;
    uint64_t count;
    const char *names;
    uint64_t names_bytes;
};

/* .symtab, or .dynsym when the file is stripped; every offset is checked against the file's size and the table's
 * alignment. */
static int find_symbols(const uint8_t *file, uint64_t bytes, struct symbols *found) {
    const Elf64_Ehdr *header = (const Elf64_Ehdr *)file;
    if (bytes < sizeof *header || header->e_ident[EI_MAG0] != ELFMAG0 || header->e_ident[EI_CLASS] != ELFCLASS64 ||
        header->e_shentsize != sizeof(Elf64_Shdr) || header->e_shoff > bytes ||
        header->e_shoff % _Alignof(Elf64_Shdr) || header->e_shnum > (bytes - header->e_shoff) / sizeof(Elf64_Shdr))
        return -1;
    const Elf64_Shdr *sections = (const Elf64_Shdr *)(file + header->e_shoff);
    const Elf64_Shdr *table = NULL;
    for (unsigned i = 0; i < header->e_shnum; i++)
        if (sections[i].sh_type == SHT_SYMTAB || (sections[i].sh_type == SHT_DYNSYM && !table))
            table = &sections[i];
    if (!table || table->sh_link >= header->e_shnum)
        return -1;
    const Elf64_Shdr *names = &sections[table->sh_link];
    if (table->sh_offset > bytes || table->sh_offset % _Alignof(Elf64_Sym) ||
        table->sh_size > bytes - table->sh_offset || names->sh_offset > bytes ||
        names->sh_size > bytes - names->sh_offset || names->sh_size == 0 || file[names->sh_offset + names->sh_size - 1])
        return -1;
    found->symbols = (const Elf64_Sym *)(file + table->sh_offset);
    found->count = table->sh_size / sizeof(Elf64_Sym);
    found->names = (const char *)file + names->sh_offset;
    found->names_bytes = names->sh_size;
    return 0;
}

/* Without symbols nothing can be told apart: all of the module's code, or none of it. */
static void set_range(uint64_t low, uint64_t high, int all) {
    for (uint64_t at = low; all && at < high; at += 16)
        want(at);
}

/*
 * Marks both kinds: a bit that only wanted functions have needs no look at the list, whichever modules they are of. The
 * list is there before the bits that lead to it.
 */
static int64_t add_symbols(const struct symbols *found, uint64_t bias) {
    struct list *list = copy_list(found->count);
    if (!list)
        return -1;
    uint64_t before = list->count;
    for (int pass = 0; pass < 2; pass++) {
        for (uint64_t i = 0, next = before; i < found->count; i++) {
            const Elf64_Sym *symbol = &found->symbols[i];
            if (ELF64_ST_TYPE(symbol->st_info) != STT_FUNC || !symbol->st_value ||
                symbol->st_name >= found->names_bytes)
                continue;
            uint64_t function = bias + symbol->st_value, index = index_of(function);
            uint8_t bit = (uint8_t)(1u << (index & 7));
            if (pass == 0 && wanted(found->names + symbol->st_name)) {
                list->addresses[list->count++] = function;
            } else if (pass == 1 && next < list->count && list->addresses[next] == function) {
                next++;
            } else if (pass == 1) {
                ts_function_filter_mixed[index >> 3] |= bit;
            }
        }
    }
    uint64_t added = list->count - before;
    sort(list->addresses, list->count);
    __atomic_store_n(&listed, list, __ATOMIC_RELEASE);
    for (uint64_t i = 0; i < list->count; i++)
        want(list->addresses[i]);
    return (int64_t)added;
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
