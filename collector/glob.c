#include "collector/glob.h"
#include "collector/text.h"

/* Matches one character against a set that begins at *at (behind '['); moves *at behind the set. */
static int in_set(const char *pattern, size_t length, size_t *at, char character) {
    size_t i = *at;
    int negated = i < length && (pattern[i] == '!' || pattern[i] == '^');
    int found = 0;
    i += (size_t)negated;
    for (size_t first = i; i < length && (pattern[i] != ']' || i == first); i++) {
        if (i + 2 < length && pattern[i + 1] == '-' && pattern[i + 2] != ']') {
            found |= (unsigned char)pattern[i] <= (unsigned char)character &&
                     (unsigned char)character <= (unsigned char)pattern[i + 2];
            i += 2;
        } else {
            found |= pattern[i] == character;
        }
    }
    if (i >= length)
        return -1; /* no closing bracket: not a set */
    *at = i + 1;
    return found != negated;
}

int ts_glob_matches(const char *pattern, size_t length, const char *text) {
    size_t at = 0, star = (size_t)-1;
    const char *star_text = text;
    for (;;) {
        if (at < length && pattern[at] == '*') {
            star = ++at;
            star_text = text;
            continue;
        }
        if (!*text)
            break;
        size_t next = at + 1;
        int same = 0;
        if (at < length) {
            if (pattern[at] == '[') {
                same = in_set(pattern, length, &next, *text);
                if (same < 0) {
                    next = at + 1;
                    same = *text == '[';
                }
            } else {
                same = pattern[at] == '?' || pattern[at] == *text;
            }
        }
        if (same) {
            at = next;
            text++;
        } else if (star != (size_t)-1) {
            at = star;
            text = ++star_text;
        } else {
            return 0;
        }
    }
    return at == length;
}

/* Commas inside brackets or parentheses belong to the pattern: C++ names have them. */
static size_t item_length(const char *list) {
    size_t length = 0;
    int open = 0;
    for (; list[length] && (list[length] != ',' || open); length++) {
        if (ts_text_begins(list + length, "operator")) { /* operator<, operator(): its signs are its name */
            length += 8;
            while (list[length] == '<' || list[length] == '>' || list[length] == '=' || list[length] == '-' ||
                   (list[length] == '(' && list[length + 1] == ')'))
                length += list[length] == '(' ? 2 : 1;
            length--;
            continue;
        }
        open += list[length] == '<' || list[length] == '(';
        open -= (list[length] == '>' || list[length] == ')') && open > 0;
    }
    return length;
}

int ts_glob_list_selects(const char *list, const char *text) {
    while (*list == ' ' || *list == ',')
        list++;
    int selected = *list == '-';
    while (*list) {
        size_t length = item_length(list), used = length;
        int exclude = *list == '-';
        while (used && list[used - 1] == ' ')
            used--;
        if (used > (size_t)exclude && ts_glob_matches(list + exclude, used - (size_t)exclude, text))
            selected = !exclude;
        list += length;
        while (*list == ' ' || *list == ',')
            list++;
    }
    return selected;
}
