#include "tests/hook_prototypes/check.h"

#define _LARGEFILE64_SOURCE 1
#include <zlib.h>

#include "collector/hooks/zlib.def"
