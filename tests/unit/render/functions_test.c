/* The registry of functions. Cannot find: wrong names inside ELF files (symbols_test.c). */
#include "render/functions.h"

#include "tests/unit/render/compiled.h"

#include <criterion/criterion.h>
#include <string.h>

Test(functions, an_object_is_its_path_and_build_id) {
    struct ts_functions *functions = ts_functions_new();
    const uint8_t id[] = {1, 2, 3}, other[] = {1, 2, 4};
    struct ts_object *plain = ts_functions_object(functions, "/lib/a.so", NULL, 0);
    struct ts_object *built = ts_functions_object(functions, "/lib/a.so", id, 3);
    cr_expect_neq(plain, built);
    cr_expect_eq(ts_functions_object(functions, "/lib/a.so", NULL, 0), plain);
    cr_expect_eq(ts_functions_object(functions, "/lib/a.so", id, 3), built);
    cr_expect_neq(ts_functions_object(functions, "/lib/a.so", other, 3), built);
    cr_expect_neq(ts_functions_object(functions, "/usr/lib/a.so", id, 3), built);
    cr_expect_eq(ts_functions_object_count(functions), 4);
    cr_expect_eq(ts_functions_object_at(functions, 1), built);
    cr_expect_eq(built->build_id_bytes, 3);
    cr_expect_arr_eq(built->build_id, id, 3);
    ts_functions_free(functions);
}

Test(functions, a_function_is_one_address_of_one_object) {
    struct ts_functions *functions = ts_functions_new();
    struct ts_object *a = ts_functions_object(functions, "a", NULL, 0),
                     *b = ts_functions_object(functions, "b", NULL, 0);
    struct ts_function *first = ts_functions_intern(functions, a, 0x1000);
    cr_expect_eq(ts_functions_intern(functions, a, 0x1000), first);
    cr_expect_neq(ts_functions_intern(functions, b, 0x1000), first);
    cr_expect_neq(ts_functions_intern(functions, a, 0x1001), first);
    cr_expect_neq(ts_functions_intern(functions, NULL, 0x1000), first);
    cr_expect_eq(ts_functions_count(functions), 4);
    ts_functions_free(functions);
}

Test(functions, grows_without_moving_functions, .timeout = 30) {
    enum { MANY = 300000 };
    struct ts_functions *functions = ts_functions_new();
    struct ts_object *object = ts_functions_object(functions, "/x", NULL, 0);
    struct ts_function *first = ts_functions_intern(functions, object, 0);
    for (uint32_t i = 1; i < MANY; i++)
        cr_assert_eq(ts_functions_intern(functions, object, (uint64_t)i << 20)->id, i);
    cr_expect_eq(ts_functions_count(functions), MANY);
    cr_expect_eq(ts_functions_intern(functions, object, 0), first);
    for (uint32_t i = 0; i < MANY; i += 997) {
        cr_assert_eq(ts_functions_at(functions, i)->address, (uint64_t)i << 20);
        cr_assert_eq(ts_functions_intern(functions, object, (uint64_t)i << 20)->id, i);
    }
    ts_functions_free(functions);
}

Test(functions, without_symbols_the_name_is_module_and_offset) {
    struct ts_functions *functions = ts_functions_new();
    struct {
        const char *path, *name, *scope;
        int problem;
    } cases[] = {
        {"/nowhere/lib/libx.so.1", "libx.so.1+0x1234", "libx.so.1", 1},
        {"[vdso]", "[vdso]+0x1234", "[vdso]", 0},
        {"", "?+0x1234", "?", 0},
        {"/nowhere/", "?+0x1234", "?", 1},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct ts_object *object = ts_functions_object(functions, cases[i].path, NULL, 0);
        struct ts_function *function = ts_functions_intern(functions, object, 0x1234);
        cr_expect_str_eq(ts_function_name(function), cases[i].name);
        cr_expect_eq(ts_function_name(function), function->name);
        cr_expect_str_eq(ts_function_scope(function), cases[i].scope);
        cr_expect_eq(object->problem != NULL, cases[i].problem, "%s: %s", cases[i].path, object->problem);
        cr_expect_eq(ts_function_source(function), -1);
    }
    struct ts_function *nowhere = ts_functions_intern(functions, NULL, 0xabc0);
    cr_expect_str_eq(ts_function_name(nowhere), "0xabc0");
    cr_expect_str_eq(ts_function_scope(nowhere), "?");
    cr_expect_eq(ts_function_source(nowhere), -1);
    ts_functions_free(functions);
}

Test(functions, names_and_sources_come_from_the_file, .timeout = 60) {
    char *directory = compiled_directory();
    compiled_run(directory, "cc -g -w -shared -fPIC -nostdlib -Wl,--build-id=0x0102030405060708 -o \"$D/libnames.so\" "
                            "tests/unit/render/fixtures/names.c");
    const char *path = compiled_path(directory, "libnames.so");
    const uint8_t id[] = {1, 2, 3, 4, 5, 6, 7, 8}, other[] = {1, 2, 3, 4, 5, 6, 7, 9};
    struct ts_functions *functions = ts_functions_new();
    struct ts_object *object = ts_functions_object(functions, path, id, sizeof id);
    struct ts_function *shown = ts_functions_intern(functions, object, compiled_address(path, "shown"));
    cr_expect_eq(object->symbols_tried, 0, "a file is opened only when a name is asked for");
    cr_expect_str_eq(ts_function_name(shown), "shown");
    cr_expect_null(shown->file, "naming a function opens no debug information");
    cr_expect_eq(ts_function_source(shown), 0);
    cr_expect(strstr(shown->file, "fixtures/names.c") != NULL, "%s", shown->file);
    cr_expect_eq(shown->line, 10);
    cr_expect_null(object->problem);

    struct ts_object *rebuilt = ts_functions_object(functions, path, other, sizeof other);
    struct ts_function *unnamed = ts_functions_intern(functions, rebuilt, shown->address);
    cr_expect(strstr(ts_function_name(unnamed), "libnames.so+0x") == unnamed->name);
    cr_expect(rebuilt->problem &&
              strstr(rebuilt->problem,
                     "was rebuilt since the trace (build-id differs; keep the old file): names are module+offset"));
    ts_functions_free(functions);
    compiled_remove(directory);
}
