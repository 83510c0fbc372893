#include "render/demangle.h"

#include "render/memory.h"

#include <ctype.h>
#include <libiberty/demangle.h>
#include <setjmp.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

/*
 * Back references let a short name stand for a text that doubles with every few characters, and the demanglers have no
 * limit on what they print. Names in real programs stay far below these bounds; what exceeds them stays mangled.
 */
enum {
    MANGLED_BYTES_MAX = 8192, /* also bounds the demangler's recursion */
    TEXT_BYTES_MAX = 65536,
    D_BACK_REFERENCES_MAX = 24, /* the D demangler cannot be stopped: at most 3^(24/3) copies */
};

/* What compilers append to the name of a copy or a part of a function. */
static const char *const clone_words[] = {"isra",        "part",   "constprop", "cold",    "lto_priv",
                                          "localalias",  "llvm",   "clone",     "argprom", "argelim",
                                          "specialized", "__uniq", "unlikely",  "warm"};

struct text {
    char *bytes;
    size_t used;
    size_t capacity;
    jmp_buf too_long;
};

/* The only way out of a printing demangler is a jump; all its state is on the stack. */
static void text_append(const char *piece, size_t bytes, void *opaque) {
    struct text *text = opaque;
    if (bytes > TEXT_BYTES_MAX - text->used)
        longjmp(text->too_long, 1);
    text->bytes = ts_memory_grow(text->bytes, &text->capacity, text->used + bytes + 1, 1);
    memcpy(text->bytes + text->used, piece, bytes);
    text->used += bytes;
    text->bytes[text->used] = '\0';
}

static bool is_clone_word(const char *word, size_t bytes) {
    for (size_t i = 0; i < sizeof clone_words / sizeof *clone_words; i++)
        if (strlen(clone_words[i]) == bytes && !memcmp(clone_words[i], word, bytes))
            return true;
    return false;
}

/*
 * Length of the name without `@VERSION` and without trailing `.word` and `.number` parts of copies; 0 where nothing
 * would be left. A legacy Rust name writes `::` as `..`, so a part after another dot is no suffix.
 */
static size_t base_length(const char *name) {
    size_t length = strlen(name);
    const char *version = strchr(name, '@');
    if (version)
        length = (size_t)(version - name);
    for (;;) {
        const char *dot = memrchr(name, '.', length);
        if (!dot || dot == name || dot[-1] == '.')
            return length;
        const char *part = dot + 1;
        size_t bytes = length - (size_t)(part - name);
        size_t digits = 0;
        while (digits < bytes && isdigit((unsigned char)part[digits]))
            digits++;
        if (bytes == 0 || (digits < bytes && !is_clone_word(part, bytes)))
            return length;
        length = (size_t)(dot - name);
    }
}

/* `…17h<16 hex digits>E` ends every legacy Rust name. */
static bool is_rust(const char *name, size_t length) {
    if (!strncmp(name, "_R", 2))
        return true;
    if (strncmp(name, "_ZN", 3) || length < 23 || name[length - 1] != 'E' || memcmp(name + length - 20, "17h", 3))
        return false;
    for (size_t i = length - 17; i < length - 1; i++)
        if (!isxdigit((unsigned char)name[i]))
            return false;
    return true;
}

/*
 * Parameters and qualifiers of the functions that enclose a local class or a lambda, and of the function behind a
 * thunk: DMGL_PARAMS governs only the outermost function. Template arguments keep theirs, being text of a type.
 */
static void drop_inner_parameters(struct demangle_component **slot) {
    while (*slot) {
        struct demangle_component *component = *slot;
        switch (component->type) {
        case DEMANGLE_COMPONENT_TYPED_NAME:
        case DEMANGLE_COMPONENT_RESTRICT_THIS:
        case DEMANGLE_COMPONENT_VOLATILE_THIS:
        case DEMANGLE_COMPONENT_CONST_THIS:
        case DEMANGLE_COMPONENT_REFERENCE_THIS:
        case DEMANGLE_COMPONENT_RVALUE_REFERENCE_THIS:
            *slot = component->u.s_binary.left;
            break;
        case DEMANGLE_COMPONENT_LOCAL_NAME:
            while (component->u.s_binary.right &&
                   (component->u.s_binary.right->type == DEMANGLE_COMPONENT_CONST_THIS ||
                    component->u.s_binary.right->type == DEMANGLE_COMPONENT_VOLATILE_THIS ||
                    component->u.s_binary.right->type == DEMANGLE_COMPONENT_REFERENCE_THIS ||
                    component->u.s_binary.right->type == DEMANGLE_COMPONENT_RVALUE_REFERENCE_THIS))
                component->u.s_binary.right = component->u.s_binary.right->u.s_binary.left;
            slot = &component->u.s_binary.left;
            break;
        case DEMANGLE_COMPONENT_QUAL_NAME:
        case DEMANGLE_COMPONENT_TEMPLATE:
        case DEMANGLE_COMPONENT_THUNK:
        case DEMANGLE_COMPONENT_VIRTUAL_THUNK:
        case DEMANGLE_COMPONENT_COVARIANT_THUNK:
        case DEMANGLE_COMPONENT_TRANSACTION_CLONE:
        case DEMANGLE_COMPONENT_NONTRANSACTION_CLONE:
            slot = &component->u.s_binary.left;
            break;
        default:
            return;
        }
    }
}

static bool print_cxx(const char *name, struct text *text) {
    void *volatile memory = NULL;
    volatile bool printed = false;
    if (!setjmp(text->too_long)) {
        void *components;
        struct demangle_component *root = cplus_demangle_v3_components(name, DMGL_NO_OPTS, &components);
        if (!root)
            return false;
        memory = components;
        drop_inner_parameters(&root);
        printed = root && cplus_demangle_print_callback(DMGL_NO_OPTS, root, text_append, text);
    }
    free(memory);
    return printed;
}

/* An unnamed namespace has no name to read: what it holds is known by the namespaces around it. */
static void drop_anonymous_namespaces(struct text *text) {
    static const char unnamed[] = "(anonymous namespace)::";
    char *found = text->bytes;
    while (found && (found = strstr(found, unnamed)))
        memmove(found, found + sizeof(unnamed) - 1, strlen(found + sizeof(unnamed) - 1) + 1);
}

static bool print_rust(const char *name, struct text *text) {
    if (setjmp(text->too_long))
        return false;
    return rust_demangle_callback(name, DMGL_NO_OPTS, text_append, text);
}

/*
 * D: "demo.Shape.area!(int).f(int) const". Parameters and what follows them up to the next '.' go; template arguments,
 * which follow a '!', stay.
 */
static void drop_d_parameters(char *text) {
    char *out = text;
    size_t parameters = 0; /* open parentheses, from those of parameters on */
    bool qualifiers = false;
    for (const char *in = text; *in; in++) {
        if (*in == '.')
            qualifiers = false;
        if (parameters || (*in == '(' && in > text && in[-1] != '!')) {
            parameters += *in == '(';
            parameters -= *in == ')';
            qualifiers = true;
        } else if (!qualifiers || *in == ')' || *in == ',') {
            qualifiers = false;
            *out++ = *in;
        }
    }
    *out = '\0';
}

static char *demangle_d(const char *name) {
    size_t back_references = 0;
    for (const char *c = name; *c; c++)
        back_references += *c == 'Q';
    if (back_references > D_BACK_REFERENCES_MAX)
        return NULL;
    char *text = dlang_demangle(name, DMGL_NO_OPTS);
    if (text)
        drop_d_parameters(text);
    return text;
}

char *ts_demangle(const char *linkage_name) {
    size_t length = base_length(linkage_name);
    char *base = length ? ts_memory_copy(linkage_name, length) : ts_memory_copy(linkage_name, strlen(linkage_name));
    if (base[0] != '_' || length > MANGLED_BYTES_MAX)
        return base;

    struct text text = {.bytes = NULL};
    bool printed = false;
    if (is_rust(base, length))
        printed = print_rust(base, &text);
    if (!printed && !strncmp(base, "_Z", 2)) {
        text.used = 0;
        printed = print_cxx(base, &text);
        drop_anonymous_namespaces(&text);
    }
    if (!printed && !strncmp(base, "_D", 2)) {
        free(text.bytes);
        text.bytes = demangle_d(base);
        printed = text.bytes != NULL;
    }
    if (printed && text.bytes && text.bytes[0]) {
        free(base);
        return text.bytes;
    }
    free(text.bytes);
    return base;
}

char *ts_demangle_type(const char *name) {
    static const char info[] = "_ZTI", said[] = "typeinfo for ";
    char *symbol = ts_memory_text("%s%s", info, name);
    char *text = ts_demangle(symbol);
    free(symbol);
    if (!strncmp(text, said, sizeof said - 1) && text[sizeof said - 1]) {
        memmove(text, text + sizeof said - 1, strlen(text + sizeof said - 1) + 1);
        return text;
    }
    free(text);
    return ts_memory_copy(name, strlen(name));
}
