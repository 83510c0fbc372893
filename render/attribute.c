#include "render/attribute.h"

#include "render/duration_text.h"
#include "render/text_escape.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* The shortest digits that read back as the same double, always with a point or an exponent: 2.0, 0.1, 1e+22. */
static void write_real(double real, FILE *out) {
    char text[40];

    if (!isfinite(real)) {
        fputs(isnan(real) ? "nan" : real < 0 ? "-inf" : "inf", out);
        return;
    }
    int precision = 1;
    do
        snprintf(text, sizeof text, "%.*e", precision - 1, real);
    while (strtod(text, NULL) != real && ++precision <= 17);

    int exponent = atoi(strchr(text, 'e') + 1);
    if (exponent >= 0 && exponent < 16 && precision <= exponent)
        precision = exponent + 1; /* else %g would choose an exponent for 100 */
    snprintf(text, sizeof text, "%.*g", precision, real);
    fputs(text, out);
    if (!strpbrk(text, ".e"))
        fputs(".0", out);
}

static void write_scalar(const struct ts_value *value, FILE *out) {
    switch (value->kind) {
    case TS_VALUE_INTEGER:
        fprintf(out, "%" PRId64, value->integer);
        break;
    case TS_VALUE_REAL:
        write_real(value->real, out);
        break;
    case TS_VALUE_BOOLEAN:
        fputs(value->boolean ? "True" : "False", out);
        break;
    case TS_VALUE_STRING:
        ts_text_write_quoted(out, value->string);
        break;
    case TS_VALUE_DURATION:
        fputs(ts_duration_text(value->duration_ns).text, out);
        break;
    case TS_VALUE_UNSIGNED:
        fprintf(out, "%" PRIu64, value->number);
        break;
    case TS_VALUE_WORD:
        ts_text_write_name(out, value->string);
        break;
    case TS_VALUE_NONE:
        fputs("None", out);
        break;
    case TS_VALUE_LIST:
        fputs("[…]", out);
        break;
    }
}

void ts_attribute_write_text(const struct ts_attribute *attribute, FILE *out) {
    const struct ts_value *value = &attribute->value;

    ts_text_write_name(out, attribute->key);
    putc('=', out);
    if (value->kind != TS_VALUE_LIST) {
        write_scalar(value, out);
        return;
    }
    putc('[', out);
    for (size_t i = 0; i < value->list.count; i++) {
        if (i > 0)
            fputs(", ", out);
        write_scalar(&value->list.items[i], out);
    }
    putc(']', out);
}
