/* Row A1. */
#include "collector/glob.h"

#include <criterion/criterion.h>
#include <string.h>
#include <time.h>

static const struct {
    const char *pattern;
    const char *text;
    int matches;
} globs[] = {
    {"", "", 1},
    {"", "a", 0},
    {"a", "", 0},
    {"abc", "abc", 1},
    {"abc", "abd", 0},
    {"abc", "abcd", 0},
    {"*", "", 1},
    {"*", "anything", 1},
    {"a*", "a", 1},
    {"a*", "ba", 0},
    {"*a", "bca", 1},
    {"*a", "bcab", 0},
    {"a*b*c", "axxbyyc", 1},
    {"a*b*c", "axxcyyb", 0},
    {"**a**", "xay", 1},
    {"?", "a", 1},
    {"?", "", 0},
    {"?", "ab", 0},
    {"a?c", "abc", 1},
    {"*?", "", 0},
    {"[abc]", "b", 1},
    {"[abc]", "d", 0},
    {"[a-c]x", "bx", 1},
    {"[a-c]x", "dx", 0},
    {"[!a-c]", "d", 1},
    {"[!a-c]", "b", 0},
    {"[^a]", "b", 1},
    {"[^a]", "a", 0},
    {"[]]", "]", 1},
    {"[]a]", "a", 1},
    {"[!]]", "]", 0},
    {"[!]]", "x", 1},
    {"[a-]", "-", 1},
    {"[a-]", "b", 0},
    {"[abc", "[abc", 1},
    {"[abc", "a", 0},
    {"x[", "x[", 1},
    {"[", "[", 1},
    {"*[0-9]", "v12", 1},
    {"*[0-9]", "v1x", 0},
    {"ns::*", "ns::f", 1},
    {"f<*>", "f<int>", 1},
    {"*.cold", "f.cold", 1},
    {"\xc3\xa9*", "\xc3\xa9t", 1},
    {"[\xe0-\xff]", "\xe9", 1},
    {"a*a*a*a*b", "aaaaaaaaab", 1},
    {"a*a*a*a*b", "aaaaaaaaaa", 0},
};

Test(glob, patterns) {
    for (size_t i = 0; i < sizeof globs / sizeof *globs; i++)
        cr_assert_eq(!!ts_glob_matches(globs[i].pattern, strlen(globs[i].pattern), globs[i].text), globs[i].matches,
                     "\"%s\" against \"%s\"", globs[i].pattern, globs[i].text);
}

Test(glob, only_the_given_bytes_are_the_pattern) {
    cr_assert(ts_glob_matches("abcdef", 3, "abc"));
    cr_assert(ts_glob_matches("a[bc]", 2, "a["));
    cr_assert(ts_glob_matches("*x", 1, "anything"));
}

static const struct {
    const char *list;
    const char *text;
    int selected;
} lists[] = {
    {"", "f", 0},
    {"f", "f", 1},
    {"f,g", "g", 1},
    {"f,g", "h", 0},
    {" f , g ", "g", 1},
    {",,f,,", "f", 1},
    {"-f", "f", 0},
    {"-f", "g", 1},
    {"-f,-g", "g", 0},
    {"-f,-g", "h", 1},
    {"*,-f", "f", 0},
    {"*,-f", "g", 1},
    {"-f,*", "f", 1},
    {"a*,-ab*,abc", "ab", 0},
    {"a*,-ab*,abc", "abc", 1},
    {"f,-g", "h", 0},
    {"std::map<int, long>::at,g", "std::map<int, long>::at", 1},
    {"std::map<int, long>::at,g", "g", 1},
    {"f(int, char)", "f(int, char)", 1},
    {"-", "f", 1},
    {"a>b,c", "c", 1},
};

Test(glob, lists) {
    for (size_t i = 0; i < sizeof lists / sizeof *lists; i++)
        cr_assert_eq(!!ts_glob_list_selects(lists[i].list, lists[i].text), lists[i].selected, "\"%s\" against \"%s\"",
                     lists[i].list, lists[i].text);
}

Test(glob, operators_do_not_swallow_the_rest_of_the_list) {
    cr_assert(ts_glob_list_selects("operator<,f", "f"));
    cr_assert(ts_glob_list_selects("A::operator<<,f", "f"));
    cr_assert(ts_glob_list_selects("operator->,f", "f"));
}

/* Stars that fail late: a matcher that tries all ways needs longer than the universe lasts. */
Test(glob, many_stars_are_quick, .timeout = 5) {
    static char text[20001];
    char pattern[201];
    memset(text, 'a', sizeof text - 1);
    for (unsigned i = 0; i < 200; i += 2)
        memcpy(pattern + i, "*a", 2);
    pattern[199] = 'b';
    cr_assert(!ts_glob_matches(pattern, 200, text));
}
