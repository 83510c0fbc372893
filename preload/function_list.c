#include "preload/function_list.h"
#include "collector/kept_memory.h"
#include "collector/placement.h"
#include "collector/system.h"
#include "collector/text_shown.h"
#include "preload/function_lines.h"
#include "preload/message.h"
#include "preload/renderer.h"

#include <sys/mman.h>

static uint64_t timeout;
static struct ts_function_list *known;
static int given_up;
static int awaiting_pid; /* of the process whose thread waits; a forked child has no such thread */

/* What the process in between hands over: memory that both have. */
struct answer {
    struct ts_function_lines lines;
    int is_whole;
    uint64_t functions[];
};

void ts_function_list_begin(uint64_t timeout_seconds) {
    timeout = timeout_seconds;
}

int ts_function_list_is_awaited(void) {
    int pid = __atomic_load_n(&awaiting_pid, __ATOMIC_RELAXED);
    return pid && pid == ts_system_getpid();
}

static void give_up(const struct ts_module *module, const char *option, const char *why) {
    TS_LARGE_TABLE static char line[8192];
    struct ts_text text = TS_TEXT_IN(line);
    given_up = 1;
    text.size -= 64; /* what follows the path always fits */
    ts_text_add(&text, "traceshim: ");
    ts_text_add(&text, option);
    ts_text_add(&text, " cannot be applied: ");
    ts_text_add(&text, why);
    ts_text_add(&text, "; recorded whole: ");
    ts_text_add_shown(&text, module->path);
    text.size += 64;
    ts_text_add(&text, " and all that is loaded after it\n");
    ts_message_write(&text);
}

/* Without a build-id only the file's status tells whether it is the same as before. */
static uint64_t identity_of(const struct ts_module *module) {
    struct stat status = {0};
    ts_system_stat(module->path, &status);
    const uint64_t parts[] = {(uint64_t)status.st_dev, status.st_ino, (uint64_t)status.st_size,
                              (uint64_t)status.st_mtim.tv_sec, (uint64_t)status.st_mtim.tv_nsec};
    uint64_t hash = module->identity;
    for (unsigned i = 0; i < sizeof parts / sizeof *parts; i++) {
        hash = (hash ^ parts[i]) * UINT64_C(0x9e3779b97f4a7c15);
        hash ^= hash >> 32;
    }
    return hash;
}

static struct ts_function_list *keep(const struct answer *answer, uint64_t count, const char *globs,
                                     uint64_t identity) {
    struct ts_function_list *list = ts_kept_memory(sizeof *list + count * sizeof *list->functions);
    if (!list)
        return NULL;
    list->globs = globs;
    list->identity = identity;
    list->count = count;
    for (uint64_t i = 0; i < count; i++)
        list->functions[i] = answer->functions[i];
    list->next = known;
    known = list;
    return list;
}

static void read_piece(void *context, const char *bytes, size_t count) {
    struct answer *answer = context;
    answer->lines.functions = answer->functions;
    ts_function_lines_read(&answer->lines, bytes, count);
    answer->is_whole = ts_function_lines_end(&answer->lines) == 0;
}

static void add_build_id(struct ts_text *text, const struct ts_module *module) {
    static const char digits[] = "0123456789abcdef";
    ts_text_add(text, "--build-id=");
    for (uint32_t i = 0; i < module->object.build_id_bytes; i++) {
        const char pair[] = {digits[module->object.build_id[i] >> 4], digits[module->object.build_id[i] & 15]};
        ts_text_add_bytes(text, pair, sizeof pair);
    }
}

/* NULL: it was whole and without a mistake. */
static const char *ask(const struct ts_module *module, const char *globs, struct answer *answer,
                       enum ts_renderer_end *end) {
    char build_id[160];
    struct ts_text text = TS_TEXT_IN(build_id);
    add_build_id(&text, module);
    char *const arguments[] = {(char *)ts_renderer_path(),
                               (char *)"functions",
                               (char *)"--all",
                               (char *)"--shim-version=" TRACESHIM_VERSION,
                               (char *)"--functions",
                               (char *)globs,
                               build_id,
                               (char *)"--",
                               (char *)module->path,
                               NULL};
    struct ts_signal_mask mask;
    ts_system_block_signals(&mask);
    *end = ts_renderer_run(arguments, 0, timeout, read_piece, answer);
    ts_system_restore_signals(&mask);
    switch (*end) {
    case TS_RENDERER_DONE:
        return answer->is_whole ? NULL : "the list of functions is not complete";
    case TS_RENDERER_FAILED:
        return NULL;
    case TS_RENDERER_NOT_STARTED:
        return "no process could be made that reads the names";
    case TS_RENDERER_TOO_SLOW:
        return "reading the names took longer than TRACE_RENDER_TIMEOUT";
    case TS_RENDERER_REFUSED:
        return "the program traceshim is of another version";
    case TS_RENDERER_CANNOT_RUN:
        break;
    }
    return "the program traceshim, which reads the names, cannot run here";
}

/* Code is longer than the list of its functions: an address each, and two calls at least of ours in each. */
static const struct ts_function_list *make(const struct ts_module *module, const char *option, const char *globs,
                                           uint64_t identity) {
    enum ts_renderer_end end;
    uint64_t capacity = 4096 + (module->object.high - module->object.low) / sizeof(uint64_t);
    uint64_t bytes = sizeof(struct answer) + capacity * sizeof(uint64_t);
    struct ts_function_list *list = NULL;
    int64_t memory =
        ts_system_mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    struct answer *answer = (struct answer *)memory;
    if (ts_system_failed(memory)) {
        give_up(module, option, "there is no memory");
        return NULL;
    }
    answer->lines.capacity = capacity;
    answer->is_whole = 1; /* nothing */
    const char *problem = ask(module, globs, answer, &end);
    if (!problem && !(list = keep(answer, end == TS_RENDERER_DONE ? answer->lines.count : 0, globs, identity)))
        problem = "there is no memory";
    ts_system_munmap(answer, bytes);
    if (problem)
        give_up(module, option, problem);
    return list;
}

const struct ts_function_list *ts_function_list_of(const struct ts_module *module, const char *option,
                                                   const char *globs) {
    if (given_up || ts_system_forbidden)
        return NULL;
    uint64_t identity = identity_of(module);
    for (const struct ts_function_list *list = known; list; list = list->next)
        if (list->identity == identity && list->globs == globs)
            return list;
    if (!ts_renderer_path()[0]) {
        give_up(module, option, "the program traceshim, which reads the names, is not beside the library nor on PATH");
        return NULL;
    }
    __atomic_store_n(&awaiting_pid, ts_system_getpid(), __ATOMIC_RELAXED);
    const struct ts_function_list *list = make(module, option, globs, identity);
    __atomic_store_n(&awaiting_pid, 0, __ATOMIC_RELAXED);
    return list;
}
