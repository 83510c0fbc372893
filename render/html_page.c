#include "render/html_page.h"

/* The compilers here have no #embed; the assembler reads files. Paths are from the top of the source. */
#define FILE_BEGIN(symbol)                                                                                             \
    __asm__(".pushsection .rodata\n.global " #symbol "\n.hidden " #symbol "\n" #symbol ":\n.popsection")
#define FILE_PART(name) __asm__(".pushsection .rodata\n.incbin \"render/html/" name "\"\n.popsection")
#define FILE_END __asm__(".pushsection .rodata\n.byte 0\n.popsection")

FILE_BEGIN(ts_html_page);
FILE_PART("page.html");
FILE_END;
FILE_BEGIN(ts_html_style);
FILE_PART("page.css");
FILE_END;
FILE_BEGIN(ts_html_script);
FILE_PART("data.js");
FILE_PART("text.js");
FILE_PART("layout.js");
FILE_PART("chart.js");
FILE_PART("panels.js");
FILE_PART("lines.js");
FILE_PART("page.js");
FILE_END;
