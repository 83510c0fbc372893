#include "render/function_list.h"

#include "collector/glob.h"
#include "render/demangle.h"
#include "render/text_escape.h"

#include <inttypes.h>
#include <stdlib.h>

void ts_function_list_write(const struct ts_symbols *symbols, const char *globs, bool all, FILE *out) {
    for (size_t i = 0; i < ts_symbols_count(symbols); i++) {
        struct ts_symbol symbol = ts_symbols_at(symbols, i);
        char *name = ts_demangle(symbol.linkage_name);
        bool selected = !globs || ts_glob_list_selects(globs, name);
        if (selected || all) {
            fprintf(out, "%c%016" PRIx64 " ", selected ? '+' : '-', symbol.address);
            ts_text_write_name(out, name);
            putc('\n', out);
        }
        free(name);
    }
}
