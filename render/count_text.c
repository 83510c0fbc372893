#include "render/count_text.h"

#include <inttypes.h>
#include <stdio.h>

struct ts_count_text ts_count_text(uint64_t count) {
    struct ts_count_text text;
    char digits[21];
    int length = snprintf(digits, sizeof digits, "%" PRIu64, count);
    char *to = text.text;
    for (int i = 0; i < length; i++) {
        if (i && (length - i) % 3 == 0)
            *to++ = ',';
        *to++ = digits[i];
    }
    *to = '\0';
    return text;
}
