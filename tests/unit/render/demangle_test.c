/*
 * Names as people expect them. Cannot find: manglings of compilers that are not installed (D and Rust names here are
 * written by hand after the manglings' specifications).
 */
#include "render/demangle.h"

#include "tests/unit/render/compiled.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct pair {
    const char *linkage;
    const char *name;
};

static void check(const struct pair *pairs, size_t count) {
    for (size_t i = 0; i < count; i++) {
        char *name = ts_demangle(pairs[i].linkage);
        cr_expect_str_eq(name, pairs[i].name, "%s: '%s', not '%s'", pairs[i].linkage, name, pairs[i].name);
        free(name);
    }
}
#define CHECK(...)                                                                                                     \
    do {                                                                                                               \
        const struct pair pairs[] = {__VA_ARGS__};                                                                     \
        check(pairs, sizeof pairs / sizeof *pairs);                                                                    \
    } while (0)

Test(demangle, qualified_names_without_parameters_and_return_type) {
    CHECK({"_ZN5alpha6helperEi", "alpha::helper"}, {"_ZN5alpha12_GLOBAL__N_11fEi", "alpha::f"},
          {"_ZN12_GLOBAL__N_14implEv", "impl"}, {"_ZN5ShapeD2Ev", "Shape::~Shape"}, {"_ZN5ShapeC1Ei", "Shape::Shape"},
          {"_ZN5alpha5timesIiLi3EEET_S1_", "alpha::times<int, 3>"}, {"_ZNVKR5alpha3Foo2cmEv", "alpha::Foo::cm"},
          {"_ZL7staticvv", "staticv"}, {"_Z1fB5cxx11v", "f[abi:cxx11]"});
}

Test(demangle, function_pointers_and_parentheses_in_types) {
    CHECK({"_ZN5alpha2fpEi", "alpha::fp"}, {"_ZN5alpha3fptIiEEPFicET_", "alpha::fpt<int>"},
          {"_ZN5alpha2dtIiEEDTplfp_Li1EET_", "alpha::dt<int>"}, {"_ZN5alpha2fnIPFviEEEvT_", "alpha::fn<void (*)(int)>"},
          {"_ZN5alpha4callIXadL_ZNS_6helperEiEEEEiv", "alpha::call<&alpha::helper>"},
          {"_ZNKSt8functionIFviEEclEi", "std::function<void (int)>::operator()"});
}

Test(demangle, operators) {
    CHECK({"_ZN3FooclEic", "Foo::operator()"}, {"_ZN3FoolsEi", "Foo::operator<<"},
          {"_ZN3FoocviEv", "Foo::operator int"}, {"_ZNK3FooltERKS_", "Foo::operator<"},
          {"_ZN3FoonwEm", "Foo::operator new"}, {"_ZN3FoopmEi", "Foo::operator->*"}, {"_Zli3_kme", "operator\"\" _km"});
}

Test(demangle, lambdas_and_local_classes_keep_their_text_but_not_the_parameters_around_them) {
    CHECK({"_ZZ4mainENKUliE_clEi", "main::{lambda(int)#1}::operator()"},
          {"_ZZ3usevENKUliE1_cvPFviEEv", "use::{lambda(int)#3}::operator void (*)(int)"},
          {"_ZZN5alpha3lamIiEEDaT_ENKUliS1_E_clIdEEDaiS1_",
           "alpha::lam<int>::{lambda(int, auto:1)#1}::operator()<double>"},
          {"_ZZZN5alpha9enclosingEiENKUliE_clEiENKUlcE_clEc",
           "alpha::enclosing::{lambda(int)#1}::operator()::{lambda(char)#1}::operator()"},
          {"_ZZN5alpha3Foo1mIiEEvT_EN1L1zEi", "alpha::Foo::m<int>::L::z"},
          {"_ZThn16_N1A1fEi", "non-virtual thunk to A::f"});
}

Test(demangle, suffixes_of_copies_and_versions) {
    CHECK({"_Z3foov.cold", "foo"}, {"_Z3fooi.isra.0.constprop.1", "foo"}, {"foo.part.0", "foo"},
          {"foo.lto_priv.0", "foo"}, {"foo.part.0.cold", "foo"}, {"inner.3", "inner"}, {"memcpy@@GLIBC_2.14", "memcpy"},
          {"foo.avx2", "foo.avx2"});
}

Test(demangle, rust) {
    CHECK({"_RNvC7mycrate3foo", "mycrate::foo"},
          {"_RNCNvMs_NtC5crate3modNtB6_6Struct3foos0_0B8_", "<crate::mod::Struct>::foo::{closure#2}"},
          {"_ZN4core3fmt9Formatter9write_str17h0123456789abcdefE", "core::fmt::Formatter::write_str"},
          {"_ZN4core3fmt9Formatter9write_str17h0123456789abcdefE.llvm.1234", "core::fmt::Formatter::write_str"},
          {"_ZN71_$LT$Test$u20$$u2b$$u20$$u27$static$u20$as$u20$foo..Bar$LT$Test$GT$$GT$3bar17h930b740aa94f1d3aE",
           "<Test + 'static as foo::Bar<Test>>::bar"});
}

Test(demangle, d) {
    CHECK({"_D4demo4testFaZv", "demo.test"}, {"_D8demangle4testMxFZv", "demangle.test"},
          {"_D8demangle9__T4testZ4testMxFZ3barMFiZv", "demangle.test!().test.bar"},
          {"_D8demangle4test6__dtorMFZv", "demangle.test.~this"});
}

Test(demangle, what_is_not_mangled_stays) {
    CHECK({"main", "main"}, {"", ""}, {"_", "_"}, {"_Z", "_Z"}, {"_R", "_R"}, {"_D", "_D"}, {"_start", "_start"},
          {"_Zebra", "_Zebra"}, {"_ZN", "_ZN"}, {".isra.0", ".isra"}, {"@", "@"}, {"a..cold", "a..cold"},
          {"\xff\x1b[31m", "\xff\x1b[31m"});
}

/* Each back reference doubles the text: 2^25 copies of a pair. */
Test(demangle, text_that_doubles_without_end_stays_mangled, .timeout = 20) {
    static const char digits[] = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ";
    char linkage[1024] = "_Z1fISt4pairIiiE";
    size_t length = strlen(linkage);
    for (int i = 0; i < 25; i++)
        length += (size_t)sprintf(linkage + length, "S_IS%c_S%c_E", digits[i], digits[i]);
    strcpy(linkage + length, "Evv");
    char *name = ts_demangle(linkage);
    cr_expect_str_eq(name, linkage);
    free(name);
}

Test(demangle, deep_names_do_not_exhaust_the_stack, .timeout = 60) {
    static const char *const pieces[] = {"P", "Z", "nt", "N", "K", "I", "S_", "TR", "F", "Dp"};
    static const char *const heads[] = {"_Z1fI", "_Z", "_ZN", "_RI", "_R", "_D1a", "_ZTv0_n24_"};
    for (size_t head = 0; head < sizeof heads / sizeof *heads; head++) {
        for (size_t piece = 0; piece < sizeof pieces / sizeof *pieces; piece++) {
            char *linkage = malloc(200000);
            char *end = stpcpy(linkage, heads[head]);
            while (end - linkage < 8100)
                end = stpcpy(end, pieces[piece]);
            stpcpy(end, "iEvv");
            free(ts_demangle(linkage));
            while (end - linkage < 190000)
                end = stpcpy(end, pieces[piece]);
            free(ts_demangle(linkage));
            free(linkage);
        }
    }
}

Test(demangle, any_bytes_give_a_name, .timeout = 60) {
    static const char alphabet[] = "_ZNKSIEJLTRDCFPvijc0123456789aUl.$@(){}<>~ \xff";
    unsigned state = 12345;
    for (int round = 0; round < 20000; round++) {
        char linkage[48] = "_Z\0";
        if (round % 3)
            memcpy(linkage, round % 3 == 1 ? "_R" : "_D", 2);
        int length = 2 + round % 40;
        for (int i = 2; i < length; i++) {
            state = state * 1103515245 + 12345;
            linkage[i] = alphabet[(state >> 16) % (sizeof alphabet - 1)];
        }
        linkage[length] = '\0';
        char *name = ts_demangle(linkage);
        cr_assert(name && name[0]);
        free(name);
    }
}

/* What a compiler really emits for tests/unit/render/fixtures/names.cc. */
static void check_compiler(const char *compiler) {
    static const char *const expected[] = {"alpha::helper",
                                           "alpha::f",
                                           "alpha::times<int, 3>",
                                           "alpha::pointer_returning<int>",
                                           "alpha::deduced<int>",
                                           "alpha::call<&alpha::helper>",
                                           "alpha::Foo::Foo",
                                           "alpha::Foo::~Foo",
                                           "alpha::Foo::operator int",
                                           "alpha::Foo::operator()",
                                           "alpha::Foo::operator<<",
                                           "alpha::Foo::operator<",
                                           "alpha::Foo::operator->*",
                                           "alpha::Foo::operator new",
                                           "alpha::Foo::member<char>",
                                           "operator\"\" _km",
                                           "main"};
    size_t bytes;
    char *directory = compiled_directory();
    compiled_run(directory,
                 "%s -w -c -o \"$D/names.o\" tests/unit/render/fixtures/names.cc && "
                 "nm \"$D/names.o\" | sed -n 's/^.* [tTwW] //p' >\"$D/symbols\"",
                 compiler);
    char *symbols = (char *)compiled_read(compiled_path(directory, "symbols"), &bytes);
    symbols[bytes] = '\0';
    unsigned seen = 0;
    for (char *line = strtok(symbols, "\n"); line; line = strtok(NULL, "\n")) {
        char *name = ts_demangle(line);
        for (size_t i = 0; i < sizeof expected / sizeof *expected; i++)
            if (!strcmp(name, expected[i]))
                seen |= 1u << i;
        cr_expect(strncmp(name, "_Z", 2) != 0, "%s: %s stays mangled", compiler, line);
        free(name);
    }
    for (size_t i = 0; i < sizeof expected / sizeof *expected; i++)
        cr_expect(seen & 1u << i, "%s: no function is called %s", compiler, expected[i]);
    free(symbols);
    compiled_remove(directory);
}

Test(demangle, names_that_gcc_emits, .timeout = 60) {
    if (!compiled_have("g++"))
        cr_skip_test("g++ is not installed");
    check_compiler("g++");
}

Test(demangle, names_that_clang_emits, .timeout = 60) {
    if (!compiled_have("clang++"))
        cr_skip_test("clang++ is not installed");
    check_compiler("clang++");
}
