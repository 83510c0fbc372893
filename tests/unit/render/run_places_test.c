/* Where `traceshim run` finds a trace. Cannot find: a disagreement with the library, which fills in the pattern (e2e).
 */
#include "render/run_places.h"

#include "tests/unit/render/compiled.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

Test(run_places, finds_the_trace_of_a_pattern, .timeout = 30) {
    static const struct {
        const char *make;    /* directory with 42.trace in it */
        const char *pattern; /* both below the test's directory */
    } cases[] = {
        {"plain", "plain"},           {"deep/er", "deep/er"},         {"run.42", "run.%p"},
        {"run.42-2", "run.%p"},       {"100%.42", "100%%.%p"},        {"app@host", "%e@%h"},
        {"a[b]*?", "a[b]*?"},         {"back\\slash", "back\\slash"}, {"out-3", "out"},
        {"tmp/fall.42", "x/fall.%p"}, {"tmp/fall.42-2", "fall.%p"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char *directory = compiled_directory();
        setenv("MAKE", cases[i].make, 1);
        compiled_run(directory,
                     "mkdir -p \"$D/$MAKE\" \"$D/other\" && touch \"$D/$MAKE/42.trace\" \"$D/other/42.trace\"");
        setenv("TMPDIR", compiled_path(directory, "tmp"), 1);
        char *pattern = strdup(compiled_path(directory, cases[i].pattern));
        char *found = ts_run_places_trace(pattern, 42), *none = ts_run_places_trace(pattern, 43);
        cr_expect(found && !strcmp(found, compiled_path(directory, cases[i].make)), "%s: %s", cases[i].pattern, found);
        cr_expect_null(none);
        free(found);
        free(pattern);
        unsetenv("TMPDIR");
        compiled_remove(directory);
    }
}

Test(run_places, the_newest_of_several_wins, .timeout = 30) {
    char *directory = compiled_directory();
    compiled_run(
        directory,
        "mkdir \"$D/out\" \"$D/out-2\" && touch \"$D/out-2/7.trace\" && sleep 0.05 && touch \"$D/out/7.trace\"");
    char *found = ts_run_places_trace(compiled_path(directory, "out"), 7);
    cr_expect(found && !strcmp(found, compiled_path(directory, "out")), "%s", found);
    free(found);
    compiled_remove(directory);
}
