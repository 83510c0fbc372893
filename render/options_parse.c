#include "render/options_parse.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

static int set_count(uint64_t *target, const char *name, const char *value, struct ts_error *error) {
    char *end = NULL;
    errno = 0;
    unsigned long long number = isdigit((unsigned char)value[0]) ? strtoull(value, &end, 10) : 0;
    if (!end || *end)
        return ts_error_set(error, "%s: '%s' is no whole number", name, value);
    if (errno == ERANGE)
        return ts_error_set(error, "%s: '%s' is too large", name, value);
    *target = number;
    return 0;
}

/* The option that `argument` names, with or without `=value`; *value is set to what follows `=`, else to NULL. */
static const struct ts_option *find(const struct ts_option *options, const char *argument, const char **value) {
    size_t length = strcspn(argument, "=");
    *value = argument[length] ? argument + length + 1 : NULL;
    for (; options->name; options++)
        if (strlen(options->name) == length && !memcmp(options->name, argument, length))
            return options;
    return NULL;
}

static bool is_option(const char *argument) {
    return argument[0] == '-' && argument[1];
}

int ts_options_parse(const struct ts_option *options, int argc, char **argv, bool mixed, struct ts_error *error) {
    int i = 1, before = 0; /* operands that options follow: argv[1] and on, over options that are parsed already */
    for (; i < argc && (mixed || is_option(argv[i])); i++) {
        const char *argument = argv[i], *value;
        if (!is_option(argument)) {
            argv[1 + before++] = argv[i];
            continue;
        }
        if (!strcmp(argument, "--")) {
            i++;
            break;
        }
        if (!strcmp(argument, "--help") || !strcmp(argument, "-h"))
            return TS_OPTIONS_HELP;
        const struct ts_option *option = find(options, argument, &value);
        if (!option)
            return ts_error_set(error, "unknown option '%s'", argument);
        if (option->kind == TS_OPTION_FLAG) {
            if (value)
                return ts_error_set(error, "%s takes no value", option->name);
            *(int *)option->target = option->number;
            continue;
        }
        if (!value && i + 1 < argc)
            value = argv[++i];
        if (!value)
            return ts_error_set(error, "%s needs a value: %s", option->name, option->value);
        if (option->kind == TS_OPTION_TEXT)
            *(const char **)option->target = value;
        else if (set_count(option->target, option->name, value, error) != 0)
            return TS_OPTIONS_ERROR;
    }
    i -= before;
    memmove(argv + i, argv + 1, (size_t)before * sizeof *argv);
    return i;
}

void ts_options_write_help(const struct ts_option *options, FILE *out) {
    enum { COLUMN = 24 };
    for (; options->name; options++) {
        if (!options->help)
            continue;
        int written = fprintf(out, "  %s", options->name);
        if (options->value)
            written += fprintf(out, "%s%s", options->name[1] == '-' ? "=" : " ", options->value);
        fprintf(out, "%*s%s\n", written < COLUMN ? COLUMN - written : 1, "", options->help);
    }
}
