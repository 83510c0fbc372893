/*
 * The annotated source of the HTML page: the files with executed lines, the most executed first, as far as there is
 * room for them (render/html/lines.js reads it). The text may hold `<`, as of ts_html_data_write.
 */
#ifndef TRACESHIM_RENDER_HTML_LINES_H
#define TRACESHIM_RENDER_HTML_LINES_H

#include "render/json_stream.h"
#include "render/lines.h"

/* Two members of an object: "lines":[...],"lineFilesLeftOut":N */
void ts_html_lines_write(const struct ts_lines *lines, struct ts_json_stream *json);

#endif
