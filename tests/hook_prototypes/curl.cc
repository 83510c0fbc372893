#include "tests/hook_prototypes/check.h"

#include <curl/curl.h>

#include "collector/hooks/curl.def"
