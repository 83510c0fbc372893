#include "render/check_parts.h"

#include <stdlib.h>
#include <string.h>

/* gcc's runtimes are libraries; clang's are linked into the program, or libraries with -shared-libsan. */
static const struct sanitizer {
    const char *name;
    const char *library;
    const char *function; /* that a runtime in the program defines */
    bool comes_first;     /* its library ends a program where another one comes before it */
} sanitizers[] = {
    {"AddressSanitizer", "asan", "__asan_init", true},
    {"ThreadSanitizer", "tsan", "__tsan_init", false},
    {"MemorySanitizer", "msan", "__msan_init", false},
    {"LeakSanitizer", "lsan", "__lsan_init", false},
    {"UndefinedBehaviorSanitizer", "ubsan", "__ubsan_handle_add_overflow", false},
};
enum { SANITIZERS = sizeof sanitizers / sizeof *sanitizers };

static bool begins(const char *text, const char *prefix) {
    return !strncmp(text, prefix, strlen(prefix));
}

/* Whether `name` (libasan.so.8, libclang_rt.asan-x86_64.so, ...) is a runtime of it. */
static bool is_runtime(const struct sanitizer *sanitizer, const char *name) {
    static const char *const prefixes[] = {"lib", "libclang_rt."};
    for (size_t i = 0; i < sizeof prefixes / sizeof *prefixes; i++) {
        const char *rest = name + strlen(prefixes[i]);
        if (begins(name, prefixes[i]) && begins(rest, sanitizer->library) &&
            strchr(".-_", rest[strlen(sanitizer->library)]))
            return true;
    }
    return false;
}

/* The first file name in LD_PRELOAD's list begins with the runtime's. */
static bool is_preloaded_first(const struct sanitizer *sanitizer) {
    const char *preload = getenv("LD_PRELOAD");
    const char *first = preload ? preload + strspn(preload, " :") : "";
    const char *slash = memrchr(first, '/', strcspn(first, " :"));
    return is_runtime(sanitizer, slash ? slash + 1 : first);
}

static void check_order(struct ts_check *check, const struct sanitizer *sanitizer, const char *runtime) {
    const char *options = getenv("ASAN_OPTIONS");
    if (options && strstr(options, "verify_asan_link_order=0"))
        ts_check_add(check, TS_CHECK_OK, "%s: ASAN_OPTIONS lets another library come before it", sanitizer->name);
    else if (is_preloaded_first(sanitizer))
        ts_check_add(check, TS_CHECK_NOTE,
                     "%s: LD_PRELOAD begins with its runtime; add libtraceshim.so behind that, without traceshim run, "
                     "which puts it in front",
                     sanitizer->name);
    else
        ts_check_add(check, TS_CHECK_FAIL,
                     "%s ends the program where its runtime does not come first; set "
                     "ASAN_OPTIONS=verify_asan_link_order=0, as traceshim run does, or LD_PRELOAD='%s LIBTRACESHIM'",
                     sanitizer->name, runtime);
}

bool ts_check_wants_runtime_first(const char *path) {
    struct ts_error ignored;
    struct ts_elf_file *file = ts_elf_file_open(path, &ignored);
    bool wants = false;
    for (size_t i = 0; file && i < file->needed_count; i++)
        for (size_t k = 0; k < SANITIZERS; k++)
            wants |= sanitizers[k].comes_first && is_runtime(&sanitizers[k], file->needed[i]);
    ts_elf_file_close(file);
    return wants;
}

/* NULL: none of the libraries. */
static const struct ts_load_module *runtime_of(const struct sanitizer *sanitizer, const struct ts_load_order *order) {
    for (size_t i = 1; i < order->count; i++)
        if (is_runtime(sanitizer, order->modules[i]->name))
            return order->modules[i];
    return NULL;
}

static void check_sanitizers(struct ts_check *check, const struct ts_load_order *order) {
    for (size_t i = 0; i < SANITIZERS; i++) {
        const struct ts_load_module *runtime = runtime_of(&sanitizers[i], order);
        if (runtime && sanitizers[i].comes_first)
            check_order(check, &sanitizers[i], runtime->file->path);
        else if (runtime || ts_elf_file_defines(order->modules[0]->file, sanitizers[i].function, NULL))
            ts_check_add(check, TS_CHECK_OK, "%s works beside the library", sanitizers[i].name);
    }
}

/* Of these it is no news that they define malloc. */
static bool is_c_library(const char *name) {
    for (size_t i = 0; i < SANITIZERS; i++)
        if (is_runtime(&sanitizers[i], name))
            return true;
    return begins(name, "libc.") || begins(name, "libc-");
}

/* The first that defines it is the one that all call. */
static void check_allocator(struct ts_check *check, const struct ts_load_order *order) {
    for (size_t i = 0; i < order->count; i++) {
        const struct ts_load_module *module = order->modules[i];
        if (!ts_elf_file_defines(module->file, "malloc", NULL))
            continue;
        bool is_sanitizer = false;
        for (size_t k = 0; k < SANITIZERS && i == 0; k++)
            is_sanitizer |= ts_elf_file_defines(module->file, sanitizers[k].function, NULL);
        if (!is_sanitizer && (i == 0 || !is_c_library(module->name)))
            ts_check_add(check, TS_CHECK_OK,
                         "brings its own malloc (%s), which the library does not call; TRACE_HOOKS=mem records it",
                         module->name);
        return;
    }
}

void ts_check_neighbours(struct ts_check *check, const struct ts_load_order *order) {
    check_sanitizers(check, order);
    check_allocator(check, order);
    if (order->modules[0]->file->is_go)
        ts_check_add(check, TS_CHECK_NOTE,
                     "built by Go: its own functions and the system calls of its runtime are not seen, only what it "
                     "calls of C libraries");
}
