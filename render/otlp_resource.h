/* The OTLP resource of a process, with OpenTelemetry's names for what is known of it. */
#ifndef TRACESHIM_RENDER_OTLP_RESOURCE_H
#define TRACESHIM_RENDER_OTLP_RESOURCE_H

#include "render/json_text.h"
#include "render/session.h"

/* `{"attributes":[...]}` */
void ts_otlp_resource_write(const struct ts_process *process, struct ts_json_text *json);

#endif
