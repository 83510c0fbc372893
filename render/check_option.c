#include "render/check_option.h"

#include "preload/options.h"
#include "render/memory.h"

#include <stdlib.h>

bool ts_check_option(const char *variable, const char *value) {
    char *setting = ts_memory_text("%s=%s", variable, value), text[512] = "";
    char *const environment[] = {setting, NULL};
    struct ts_text problems = TS_TEXT_IN(text);
    struct ts_options options;
    ts_options_read(&options, environment, &problems);
    free(setting);
    return !text[0];
}
