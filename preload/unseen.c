#include "preload/unseen.h"
#include "collector/control.h"
#include "collector/text.h"
#include "collector/trace_format.h"

void ts_unseen(const char *what, const char *why) {
    char line[2048];
    struct ts_text text = TS_TEXT_IN(line);
    ts_text_add(&text, what);
    ts_text_add(&text, ": ");
    ts_text_add(&text, why);
    struct ts_record_metadata record = {.key = TS_METADATA_UNSEEN, .value_bytes = (uint32_t)text.used};
    ts_control_write(TS_RECORD_METADATA, &record, sizeof record, line, record.value_bytes, NULL, 0);
}
