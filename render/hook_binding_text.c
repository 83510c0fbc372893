#include "render/hook_binding_text.h"

#include "render/json_document.h"
#include "render/memory.h"
#include "render/text_escape.h"

#include <stdlib.h>
#include <string.h>

/* A longer name pushes its own line out of the columns, not every line. */
enum { WIDTH_MOST = 40, GAP = 2 };

static int wider(int width, const char *name) {
    size_t bytes = strlen(name);
    return bytes > (size_t)width && bytes <= WIDTH_MOST ? (int)bytes : width;
}

static void write_cell(FILE *out, const char *name, int width) {
    size_t bytes = strlen(name);
    ts_text_write_name(out, name);
    fprintf(out, "%*s", bytes < (size_t)width ? width - (int)bytes + GAP : GAP, "");
}

static void write_bindings(const struct ts_hook_bindings *bindings, FILE *out) {
    int caller = 0, symbol = 0, module = 0;
    for (size_t i = 0; i < bindings->count; i++) {
        caller = wider(caller, bindings->bindings[i].caller);
        symbol = wider(symbol, bindings->bindings[i].symbol);
        module = wider(module, bindings->bindings[i].module);
    }
    for (size_t i = 0; i < bindings->count; i++) {
        const struct ts_hook_binding *binding = &bindings->bindings[i];
        char *signature = ts_memory_copy(binding->signature ? binding->signature : "-",
                                         binding->signature ? binding->signature_bytes : 1);
        write_cell(out, binding->caller, caller);
        write_cell(out, binding->symbol, symbol);
        write_cell(out, binding->module, module);
        ts_text_write_name(out, signature);
        fputc('\n', out);
        free(signature);
    }
}

void ts_hook_binding_text(const struct ts_hook_bindings *bindings, const char *program, const char *selection,
                          FILE *out) {
    fputs("# ", out);
    ts_text_write_name(out, program);
    fprintf(out, ": %zu %s would be hooked by ", bindings->count, bindings->count == 1 ? "call" : "calls");
    ts_text_write_name(out, selection);
    fputs(bindings->count ? "\n# caller, function, module that defines it, signature\n" : "\n", out);
    write_bindings(bindings, out);
    int what = 0;
    for (size_t i = 0; i < bindings->unseen_count; i++)
        what = wider(what, bindings->unseen[i].what);
    fputs("# Not seen:\n", out);
    for (size_t i = 0; i < bindings->unseen_count; i++) {
        fputs("#   ", out);
        write_cell(out, bindings->unseen[i].what, what);
        ts_text_write_name(out, bindings->unseen[i].why);
        fputc('\n', out);
    }
    fputs("#   Nor calls inside one module that need no symbol, system calls without a function, and here, where the\n"
          "#   program does not run, modules that it opens itself.\n",
          out);
}

int ts_hook_binding_json(const struct ts_hook_bindings *bindings, const char *program, const char *selection, FILE *out,
                         struct ts_error *error) {
    static const char *const through[] = {
        [TS_ELF_CALL] = "call", [TS_ELF_POINTER] = "pointer", [TS_ELF_DATA] = "data", [TS_ELF_ADDRESS] = "address"};
    cJSON *document = ts_json_document_new();
    ts_json_add_text(document, "program", program);
    ts_json_add_text(document, "selection", selection);
    cJSON *hooked = ts_json_add_array(document, "hooked");
    for (size_t i = 0; i < bindings->count; i++) {
        const struct ts_hook_binding *binding = &bindings->bindings[i];
        cJSON *line = ts_json_add_object(hooked, NULL);
        ts_json_add_text(line, "caller", binding->caller);
        ts_json_add_text(line, "symbol", binding->symbol);
        ts_json_add_text(line, "module", binding->module);
        ts_json_add_text(line, "through", through[binding->through]);
        if (binding->signature)
            ts_json_add_part(line, "signature", binding->signature, binding->signature_bytes);
    }
    cJSON *not_seen = ts_json_add_array(document, "not_seen");
    for (size_t i = 0; i < bindings->unseen_count; i++) {
        cJSON *line = ts_json_add_object(not_seen, NULL);
        ts_json_add_text(line, "what", bindings->unseen[i].what);
        ts_json_add_text(line, "why", bindings->unseen[i].why);
    }
    return ts_json_document_write(document, out, "the hooks", error);
}
