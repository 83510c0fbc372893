/* What the shim's assembly defines, which is not linked into the tests. */
#include "hook_stub.h"
#include "preload/instrument.h"

const uint8_t ts_hook_stubs[1], ts_hook_returned[1];

void ts_instrument_nothing(void *function, void *call_site) {
    (void)function, (void)call_site;
}
