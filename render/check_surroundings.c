#include "collector/clock.h"
#include "preload/options.h"
#include "render/check_parts.h"
#include "render/format_names.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#define SAYS "traceshim: "
#define DATA_LEAST (UINT64_C(4) << 20)

/* What the shim would write to standard error, a line each. */
static void add_lines(struct ts_check *check, char *lines) {
    for (char *line = lines, *end; (end = strchr(line, '\n')); line = end + 1) {
        *end = '\0';
        ts_check_add(check, TS_CHECK_NOTE, "%s", !strncmp(line, SAYS, strlen(SAYS)) ? line + strlen(SAYS) : line);
    }
}

static void check_formats(struct ts_check *check, const char *formats) {
    struct ts_error error;
    size_t count;
    bool unknown = false;
    free(ts_format_names_parse(formats, &count, &unknown, &error));
    if (unknown)
        ts_check_add(check, TS_CHECK_NOTE, "TRACE_FORMAT: %s", error.text);
}

static void check_clock(struct ts_check *check, const struct ts_options *options) {
    ts_clock_choose(options->clock_system);
    if (ts_clock_source == TS_CLOCK_SOURCE_CPU)
        ts_check_add(check, TS_CHECK_OK, "the clock is the processor's counter");
    else if (options->clock_system)
        ts_check_add(check, TS_CHECK_OK, "the clock is clock_gettime, as TRACE_CLOCK says");
    else
        ts_check_add(check, TS_CHECK_NOTE,
                     "the clock is clock_gettime: the processor's counter is forbidden to us, not constant, or not "
                     "trusted by the kernel; an event costs more");
}

/* The library's own writable memory counts, which is mapped before anything of it can look at limits. */
static void check_data_limit(struct ts_check *check) {
    struct rlimit limit;
    if (getrlimit(RLIMIT_DATA, &limit) == 0 && limit.rlim_cur < DATA_LEAST)
        ts_check_add(check, TS_CHECK_FAIL,
                     "RLIMIT_DATA allows %ju KiB of memory, of which the library takes 3 MiB: the loader may not start "
                     "the program; raise it (ulimit -d)",
                     (uintmax_t)limit.rlim_cur / 1024);
}

void ts_check_surroundings(struct ts_check *check, const char *path) {
    char buffer[4096] = "";
    struct ts_text problems = TS_TEXT_IN(buffer);
    struct ts_options options;
    ts_options_read(&options, environ, &problems);
    add_lines(check, buffer);
    if (options.format)
        check_formats(check, options.format);
    if (options.level == 0)
        ts_check_add(check, TS_CHECK_FAIL, "TRACE_LEVEL is 0: nothing is recorded; set it to 1, or unset it");
    check_clock(check, &options);
    check_data_limit(check);
    ts_check_place(check, path, &options);
}
