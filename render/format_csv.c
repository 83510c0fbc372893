#include "render/formats.h"
#include "render/report.h"

int ts_format_csv(struct ts_session *session, const struct ts_format_options *options, FILE *out,
                  struct ts_error *error) {
    const struct ts_report_options report = {.layout = TS_REPORT_CSV};
    (void)options;
    return ts_report_write(session, &report, out, error);
}
