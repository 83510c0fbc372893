#include "tests/hook_prototypes/check.h"

#include <sqlite3.h>

#include "collector/hooks/sqlite3.def"
