#include "preload/options.h"
#include "collector/kept_memory.h"
#include "collector/system.h"
#include "collector/text_shown.h"
#include "collector/trace_format.h"
#include "preload/signal_number.h"

#include <sys/mman.h>

static const char *skip_spaces(const char *text) {
    while (*text == ' ' || *text == '\t' || *text == '\n')
        text++;
    return text;
}

const char *ts_options_variable(char *const *environment, const char *name) {
    size_t length = ts_text_length(name);
    for (; environment && *environment; environment++)
        if (ts_text_begins(*environment, name) && (*environment)[length] == '=')
            return *environment + length + 1;
    return NULL;
}

/* A decimal number, saturated; *end is set behind it. -1 when there is no digit. */
static int read_number(const char *text, uint64_t *number, const char **end) {
    *number = 0;
    if (*text < '0' || *text > '9')
        return -1;
    for (; *text >= '0' && *text <= '9'; text++) {
        uint64_t digit = (uint64_t)(*text - '0');
        *number = *number > (UINT64_MAX - digit) / 10 ? UINT64_MAX : *number * 10 + digit;
    }
    *end = text;
    return 0;
}

/* A number and one of the units; `units` lists name and factor, the first unit being the one without a name. */
struct unit {
    const char *name;
    uint64_t factor;
};

static int read_with_unit(const char *text, const struct unit *units, uint64_t *value) {
    const char *end;
    uint64_t number;
    if (read_number(skip_spaces(text), &number, &end))
        return -1;
    end = skip_spaces(end);
    for (; units->name; units++) {
        if (!ts_text_begins(end, units->name) || *skip_spaces(end + ts_text_length(units->name)))
            continue;
        *value = number > UINT64_MAX / units->factor ? UINT64_MAX : number * units->factor;
        return 0;
    }
    return -1;
}

/*
 * Parsers: 0, or -1 when the text is no such value. An unset variable does not come here; an empty one does, and means
 * the default except for the level.
 */

/* A whole decimal number, clamped to 0..3; anything else is 0. */
static int parse_level(const char *text, int *level) {
    uint64_t number;
    const char *end;
    *level = 0;
    text = skip_spaces(text);
    if (!*text)
        return 0;
    int negative = *text == '-';
    if (read_number(text + (negative || *text == '+'), &number, &end) || *skip_spaces(end))
        return -1;
    *level = negative ? 0 : number > 3 ? 3 : (int)number;
    return 0;
}

/* A copy: a program may write over its environment (setproctitle). */
static int parse_text(const char *text, const char **value) {
    *value = *text ? ts_kept_text(text, ts_text_length(text)) : NULL;
    return 0;
}

/* Empty: a list of nothing, which is not the same as unset. */
static int parse_list(const char *text, const char **value) {
    *value = "";
    return *text ? parse_text(text, value) : 0;
}

static int parse_number(const char *text, uint64_t *value) {
    static const struct unit units[] = {{"", 1}, {NULL, 0}};
    return *skip_spaces(text) ? read_with_unit(text, units, value) : 0;
}

static int parse_duration(const char *text, uint64_t *value) {
    static const struct unit units[] = {{"", 1},         {"ns", 1},         {"us", 1000}, {"µs", 1000},
                                        {"ms", 1000000}, {"s", 1000000000}, {NULL, 0}};
    return *skip_spaces(text) ? read_with_unit(text, units, value) : 0;
}

static int parse_size(const char *text, uint64_t *value) {
    static const struct unit units[] = {{"", 1},         {"K", 1u << 10},   {"k", 1u << 10},   {"KiB", 1u << 10},
                                        {"M", 1u << 20}, {"m", 1u << 20},   {"MiB", 1u << 20}, {"G", 1u << 30},
                                        {"g", 1u << 30}, {"GiB", 1u << 30}, {NULL, 0}};
    return *skip_spaces(text) ? read_with_unit(text, units, value) : 0;
}

static int parse_flag(const char *text, int *value) {
    static const char *const yes[] = {"1", "yes", "on", "true"}, *const no[] = {"0", "no", "off", "false"};
    if (!*text)
        return 0;
    for (unsigned i = 0; i < sizeof yes / sizeof *yes; i++) {
        if (ts_text_equal(text, yes[i]) || ts_text_equal(text, no[i])) {
            *value = ts_text_equal(text, yes[i]);
            return 0;
        }
    }
    return -1;
}

static int parse_full(const char *text, int *value) {
    if (!*text || ts_text_equal(text, "ring"))
        *value = TS_FULL_RING;
    else if (ts_text_equal(text, "stop"))
        *value = TS_FULL_STOP;
    else
        return -1;
    return 0;
}

static int parse_clock(const char *text, int *value) {
    *value = ts_text_equal(text, "system");
    return *value || !*text || ts_text_equal(text, "auto") ? 0 : -1;
}

static int parse_start(const char *text, int *value) {
    *value = ts_text_equal(text, "paused");
    return *value || !*text || ts_text_equal(text, "on") ? 0 : -1;
}

static int parse_signal(const char *text, int *value) {
    text = skip_spaces(text);
    if (!*text)
        return 0;
    int signal = ts_signal_number(text);
    if (!ts_signal_may_toggle(signal))
        return -1;
    *value = signal;
    return 0;
}

void ts_options_read(struct ts_options *options, char *const *environment, struct ts_text *problems) {
    *options = (struct ts_options){.level = 1, .full = TS_FULL_RING, .children = 1, .render_timeout = 5};
    const char *text;
#define OPTION(name, field, parser, standard, help)                                                                    \
    text = ts_options_variable(environment, #name);                                                                    \
    if (text && parse_##parser(text, &options->field)) {                                                               \
        ts_text_add(problems, "traceshim: " #name "=");                                                                \
        ts_text_add_shown(problems, text);                                                                             \
        ts_text_add(problems, " is not understood and counts as ");                                                    \
        ts_text_add(problems, ts_text_equal(#name, "TRACE_LEVEL") ? "0. " help "\n" : "unset. " help "\n");            \
    }
#include "preload/options.def"
#undef OPTION
    text = ts_options_variable(environment, TS_RUN_VARIABLE);
    if (text && parse_number(text, &options->run_pid))
        options->run_pid = 0;
}

void ts_options_each_set(char *const *environment, void (*use)(void *context, const char *text), void *context) {
    static const char *const names[] = {
#define OPTION(name, field, parser, standard, help) #name,
#include "preload/options.def"
#undef OPTION
    };
    for (unsigned i = 0; i < sizeof names / sizeof *names; i++) {
        const char *value = ts_options_variable(environment, names[i]);
        if (value)
            use(context, value - ts_text_length(names[i]) - 1);
    }
}
