/* The files of render/html, as text: parts of the page that ts_format_html writes. They are read when this is built. */
#ifndef TRACESHIM_RENDER_HTML_PAGE_H
#define TRACESHIM_RENDER_HTML_PAGE_H

/* The document, with a line `@style`, `@script` and `@data` where those go. */
extern const char ts_html_page[];
extern const char ts_html_style[];
extern const char ts_html_script[];

#endif
