#include "render/error.h"

#include <stdarg.h>
#include <stdio.h>

int ts_error_set(struct ts_error *error, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(error->text, sizeof(error->text), format, arguments);
    va_end(arguments);
    return -1;
}
