/* Stubs into functions, over time and forks. Cannot find: stubs whose modules overlap (hook_replay_test.c). */
#include "render/hook_map.h"

#include <criterion/criterion.h>

static struct ts_functions *functions;

static struct ts_function *hooked(const char *name) {
    return ts_functions_intern_hooked(functions, ts_functions_object(functions, "/lib/x.so", NULL, 0), 0, name, "", "",
                                      0);
}

static void begin(void) {
    functions = ts_functions_new();
}

static void end(void) {
    ts_functions_free(functions);
}

TestSuite(hook_map, .init = begin, .fini = end);

#define STUB UINT64_C(0x7f0012345600)

Test(hook_map, a_stub_is_known_by_all_bits_or_the_lower_ones) {
    struct ts_hook_map *map = ts_hook_map_new();
    ts_hook_map_add(map, STUB, 100, hooked("open"));
    ts_hook_map_add(map, STUB + 16, 100, hooked("read"));
    ts_hook_map_finish(map, NULL, 0);
    cr_expect_eq(ts_hook_map_find(map, STUB, 0, 200), hooked("open"));
    cr_expect_eq(ts_hook_map_find(map, (uint32_t)STUB, 1, 200), hooked("open"));
    cr_expect_eq(ts_hook_map_find(map, STUB + 16, 0, 200), hooked("read"));
    cr_expect_null(ts_hook_map_find(map, (uint32_t)STUB, 0, 200));
    cr_expect_null(ts_hook_map_find(map, STUB + 8, 0, 200));
    cr_expect_null(ts_hook_map_find(map, STUB + 32, 1, 200));
    ts_hook_map_free(map);
}

Test(hook_map, a_stub_changes_its_function) {
    struct ts_hook_map *map = ts_hook_map_new();
    ts_hook_map_add(map, STUB, 300, hooked("second"));
    ts_hook_map_add(map, STUB, 100, hooked("first"));
    ts_hook_map_finish(map, NULL, 0);
    cr_expect_eq(ts_hook_map_find(map, STUB, 0, 50), hooked("first"));
    cr_expect_eq(ts_hook_map_find(map, STUB, 0, 100), hooked("first"));
    cr_expect_eq(ts_hook_map_find(map, STUB, 0, 299), hooked("first"));
    cr_expect_eq(ts_hook_map_find(map, STUB, 0, 300), hooked("second"));
    cr_expect_eq(ts_hook_map_next_change(map, 0), 100);
    cr_expect_eq(ts_hook_map_next_change(map, 100), 300);
    cr_expect_eq(ts_hook_map_next_change(map, 300), UINT64_MAX);
    ts_hook_map_free(map);
}

Test(hook_map, a_child_sees_what_was_hooked_when_it_was_forked) {
    struct ts_hook_map *parent = ts_hook_map_new();
    struct ts_hook_map *between = ts_hook_map_new(); /* without hooks of its own */
    struct ts_hook_map *child = ts_hook_map_new();
    ts_hook_map_add(parent, STUB, 100, hooked("open"));
    ts_hook_map_add(parent, STUB, 300, hooked("later"));
    ts_hook_map_add(parent, STUB + 16, 300, hooked("later"));
    ts_hook_map_add(child, STUB + 32, 500, hooked("own"));
    ts_hook_map_add(child, STUB, 600, hooked("own"));
    ts_hook_map_finish(parent, NULL, 0);
    ts_hook_map_finish(between, parent, 200);
    ts_hook_map_finish(child, between, 400);
    cr_expect_eq(ts_hook_map_find(child, STUB, 0, 450), hooked("open"));
    cr_expect_eq(ts_hook_map_find(child, STUB, 0, 600), hooked("own"));
    cr_expect_null(ts_hook_map_find(child, STUB + 16, 0, 450));
    cr_expect_eq(ts_hook_map_find(child, STUB + 32, 0, 450), hooked("own"));
    cr_expect_eq(ts_hook_map_count(child), 2);
    ts_hook_map_free(child);
    ts_hook_map_free(between);
    ts_hook_map_free(parent);
}

Test(hook_map, an_empty_one_knows_nothing) {
    struct ts_hook_map *map = ts_hook_map_new();
    ts_hook_map_finish(map, NULL, 0);
    cr_expect_null(ts_hook_map_find(map, STUB, 1, 1));
    cr_expect_eq(ts_hook_map_next_change(map, 0), UINT64_MAX);
    ts_hook_map_free(map);
}

Test(hook_map, hooked_functions_are_interned_by_everything_that_is_known) {
    struct ts_object *object = ts_functions_object(functions, "/lib/x.so", NULL, 0);
    struct ts_function *open =
        ts_functions_intern_hooked(functions, object, 0x400, "open", "(path:path)=fd|-1", "io", 0);
    cr_expect_eq(ts_functions_intern_hooked(functions, object, 0x400, "open", "(path:path)=fd|-1", "io", 0), open);
    cr_expect_neq(ts_functions_intern_hooked(functions, object, 0x400, "open", "", "io", 0), open);
    cr_expect_neq(ts_functions_intern_hooked(functions, object, 0x400, "open", "(path:path)=fd|-1", "io", 1), open);
    cr_expect_neq(ts_functions_intern(functions, object, 0x400), open);
    cr_expect_eq(ts_functions_intern_hooked(functions, object, 0x400, "open", "(path:path)=fd|-1", "io", 0), open);
    cr_expect_str_eq(ts_function_name(open), "open");
    cr_expect_str_eq(ts_function_scope(open), "x.so");
    struct ts_function *mangled = hooked("_ZN3one3twoEi");
    cr_expect_str_eq(ts_function_name(mangled), "one::two");
}
