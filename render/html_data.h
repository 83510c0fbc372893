/*
 * What the HTML page shows, as one JSON object: render/html/data.js reads it, and says what each member is. Bounded:
 * the merged tree keeps the paths with the largest totals, the timeline the longest calls; both say what was left out.
 */
#ifndef TRACESHIM_RENDER_HTML_DATA_H
#define TRACESHIM_RENDER_HTML_DATA_H

#include "render/call_tree.h"
#include "render/html_timeline.h"
#include "render/json_stream.h"
#include "render/lines.h"

#define TS_HTML_PATHS_MOST 30000

/*
 * `tree` is sorted; `timeline` is sorted and has the tree's rows. `certificate`: what ts_info_write_json writes.
 * The text may hold `<`: the caller makes it safe inside of HTML.
 */
void ts_html_data_write(const struct ts_session *session, const struct ts_call_tree *tree,
                        const struct ts_html_timeline *timeline, const struct ts_lines *lines, const char *certificate,
                        struct ts_json_stream *json);

#endif
