#include "render/command.h"
#include "render/render_directory.h"

#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>

enum { TURN_WAIT_MS = 3000 };

/*
 * Programs that share a directory may end at the same time: one renders after the other, so that what stays is what the
 * last one saw. Held until this process ends; one that waits in vain renders without.
 */
static void take_turn(const char *directory) {
    int fd = open(directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    for (int wait = 0; fd >= 0 && flock(fd, LOCK_EX | LOCK_NB) != 0 && wait < TURN_WAIT_MS; wait += 10)
        usleep(10000);
}

int ts_command_render(int argc, char **argv) {
    int all = 0, quiet = 0, at_exit = 0;
    const char *version = TRACESHIM_VERSION, *fd2 = "tree";
    const struct ts_option options[] = {
        {.name = "--all",
         .help = "Write JSON of every call, even where a viewer cannot take so many",
         .number = 1,
         .target = &all},
        {.name = "--quiet", .help = "Show nothing", .number = 1, .target = &quiet},
        /* What libtraceshim.so calls at the end of a program. */
        {.name = "--at-exit", .number = 1, .target = &at_exit},
        {.name = "--shim-version", .value = "VERSION", .kind = TS_OPTION_TEXT, .target = &version},
        {.name = "--fd2", .value = "quiet|tree", .kind = TS_OPTION_TEXT, .target = &fd2},
        {.name = NULL},
    };
    char **operands;
    int status;
    if (!ts_command_parse(argc, argv, options, 1, &operands, &status))
        return status;
    if (!strcmp(fd2, "quiet")) {
        quiet = 1;
    } else if (strcmp(fd2, "tree") != 0) {
        ts_command_tell("render: --fd2: '%s' is neither quiet nor tree", fd2);
        return TS_STATUS_USAGE;
    }
    if (at_exit) {
        /* A Ctrl-C that ended the program must not end its output. */
        signal(SIGINT, SIG_IGN);
        signal(SIGQUIT, SIG_IGN);
        take_turn(operands[0]);
    }
    if (strcmp(version, TRACESHIM_VERSION) != 0) {
        if (!quiet)
            ts_command_tell("libtraceshim.so is version %s, this traceshim " TRACESHIM_VERSION
                            ": not rendered; use the traceshim that was installed with the library: render %s",
                            version, operands[0]);
        return TS_STATUS_FAILED;
    }
    const struct ts_render_options render = {.all = all, .quiet = quiet, .formats = getenv("TRACE_FORMAT")};
    return ts_render_directory(operands[0], &render);
}
