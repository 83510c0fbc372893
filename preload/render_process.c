#include "preload/render_process.h"
#include "collector/system.h"
#include "preload/message.h"
#include "preload/renderer.h"

void ts_render_process_run(const char *directory, uint64_t timeout_seconds, int quiet) {
    const char *renderer = ts_renderer_path();
    if (!renderer[0]) {
        ts_message("the program traceshim is not beside the library nor on PATH; to render: traceshim render ",
                   directory, NULL);
        return;
    }
    int show = !quiet && ts_message_possible();
    char *const arguments[] = {(char *)renderer,
                               (char *)"render",
                               (char *)"--at-exit",
                               (char *)"--shim-version=" TRACESHIM_VERSION,
                               (char *)(show ? "--fd2=tree" : "--fd2=quiet"),
                               (char *)directory,
                               NULL};
    struct ts_signal_mask mask;
    ts_system_block_signals(&mask);
    /* The mask stays: the program has ended, and a signal that comes while we wait must not change its status. */
    switch (ts_renderer_run(arguments, show, timeout_seconds, NULL, NULL)) {
    case TS_RENDERER_NOT_STARTED:
        ts_message("no process could be made to render; to do it now: traceshim render ", directory, NULL);
        break;
    case TS_RENDERER_TOO_SLOW:
        ts_message("rendering took longer than TRACE_RENDER_TIMEOUT; to finish it: traceshim render ", directory, NULL);
        break;
    case TS_RENDERER_CANNOT_RUN:
        ts_message("the renderer cannot run here; to render: traceshim render ", directory, NULL);
        break;
    case TS_RENDERER_FAILED:
    case TS_RENDERER_REFUSED:
    case TS_RENDERER_DONE:
        break;
    }
}
