#include "preload/output_pattern.h"
#include "collector/system.h"
#include "preload/job.h"
#include "preload/options.h"

#include <sys/utsname.h>

static const char *file_name(const char *path) {
    const char *name = path;
    for (; *path; path++)
        if (*path == '/')
            name = path + 1;
    return name;
}

int ts_output_pattern_fill(struct ts_text *path, const char *pattern, const char *executable,
                           char *const *environment) {
    int is_pattern = 0;
    struct utsname host;
    if (pattern[0] != '/') {
        char here[4096];
        if (ts_system_getcwd(here, sizeof here) > 1 && here[0] == '/') {
            ts_text_add(path, here);
            if (path->used > 1)
                ts_text_add(path, "/");
        }
    }
    for (; *pattern; pattern++) {
        if (pattern[0] != '%' || !pattern[1]) {
            ts_text_add_bytes(path, pattern, 1);
            continue;
        }
        pattern++;
        is_pattern |= *pattern != '%';
        if (*pattern == 'p')
            ts_text_add_number(path, (uint64_t)ts_system_getpid());
        else if (*pattern == 'e')
            ts_text_add(path, file_name(executable));
        else if (*pattern == 'h')
            ts_text_add(path, uname(&host) == 0 ? host.nodename : "host");
        else if (*pattern == 'r')
            ts_text_add(path, ts_job_rank(environment) ? ts_job_rank(environment) : "0");
        else
            ts_text_add_bytes(path, pattern, 1);
    }
    while (path->used > 1 && path->start[path->used - 1] == '/')
        path->start[--path->used] = 0;
    return is_pattern;
}

void ts_output_pattern_temporary(struct ts_text *pattern, char *const *environment) {
    const char *temporary = ts_options_variable(environment, "TMPDIR");
    ts_text_add(pattern, temporary && *temporary ? temporary : TS_OUTPUT_TEMPORARY);
    ts_text_add(pattern, "/" TS_OUTPUT_DEFAULT);
}
