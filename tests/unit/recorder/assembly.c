/* What the shim's assembly defines, which is not linked into the tests. */
#include "preload/instrument.h"

void ts_instrument_nothing(void *function, void *call_site) {
    (void)function, (void)call_site;
}
