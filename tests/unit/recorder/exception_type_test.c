/*
 * What is read of thrown objects: names, bases, texts, laid out here by hand as the C++ ABI says; and memory that is
 * none of that. Cannot find: what a compiler really lays out (e2e/195). Row C18.
 */
#include "preload/exception_type.h"

#include <criterion/criterion.h>
#include <string.h>
#include <sys/mman.h>

#define WORD(pointer) ((uint64_t)(pointer))

/* A kind of type_info: its virtual table, before which its own type stands. */
struct kind {
    uint64_t type[2];
    uint64_t before_table;
    uint64_t table[1];
};

static struct kind class_kind, single_kind, multiple_kind;

static uint64_t kind(struct kind *kind, const char *name) {
    kind->type[1] = WORD(name);
    kind->before_table = WORD(kind->type);
    return WORD(kind->table);
}

static uint64_t of_class(void) {
    return kind(&class_kind, "N10__cxxabiv117__class_type_infoE");
}
static uint64_t of_single(void) {
    return kind(&single_kind, "N10__cxxabiv120__si_class_type_infoE");
}
static uint64_t of_multiple(void) {
    return kind(&multiple_kind, "N10__cxxabiv121__vmi_class_type_infoE");
}

static char type[TS_EXCEPTION_TYPE_MOST + 1], message[TS_EXCEPTION_MESSAGE_MOST + 1];

/* Reads into `type` and `message`; returns whether the name was cut. */
static int read_thrown(const void *info, const void *object) {
    static uint8_t text[TS_EXCEPTION_TYPE_MOST + TS_EXCEPTION_MESSAGE_MOST];
    uint32_t type_bytes, message_bytes;
    memset(type, 0, sizeof type);
    memset(message, 0, sizeof message);
    int cut = ts_exception_type_read(WORD(info), WORD(object), text, &type_bytes, &message_bytes);
    memcpy(type, text, type_bytes);
    memcpy(message, text + type_bytes, message_bytes);
    return cut;
}

static void expect(const void *info, const void *object, const char *wanted_type, const char *wanted_message) {
    for (int again = 0; again < 2; again++) { /* what is known is as what is found */
        cr_assert_not(read_thrown(info, object));
        cr_assert_str_eq(type, wanted_type);
        cr_assert_str_eq(message, wanted_message);
    }
}

Test(exception_type, of_the_standard) {
    uint64_t info[] = {of_class(), WORD("St13runtime_error")};
    uint64_t object[] = {0, WORD("deep")};
    expect(info, object, "St13runtime_error", "deep");
}

Test(exception_type, derived_once_and_twice) {
    uint64_t base[] = {of_class(), WORD("St11logic_error")};
    uint64_t middle[] = {of_single(), WORD("St16invalid_argument"), WORD(base)};
    uint64_t info[] = {of_single(), WORD("*N12_GLOBAL__N_13OwnE"), WORD(middle)};
    uint64_t object[] = {0, WORD("bad")};
    expect(info, object, "N12_GLOBAL__N_13OwnE", "bad");
}

Test(exception_type, the_second_of_two_bases) {
    uint64_t other[] = {of_class(), WORD("5Other")}, base[] = {of_class(), WORD("St13runtime_error")};
    uint64_t info[] = {of_multiple(), WORD("4Both"), UINT64_C(2) << 32, WORD(other), 2, WORD(base), 24 << 8 | 2};
    uint64_t object[] = {0, 1, 2, 0, WORD("second")};
    expect(info, object, "4Both", "second");
}

Test(exception_type, a_virtual_base) {
    uint64_t base[] = {of_class(), WORD("St13runtime_error")};
    uint64_t info[] = {of_multiple(), WORD("7Virtual"), UINT64_C(1) << 32, WORD(base),
                       (uint64_t)-24 << 8 | 1}; /* its offset stands 24 bytes before the virtual table */
    uint64_t table[] = {16, 0, 0, 0};
    uint64_t object[] = {WORD(table + 3), 0, 0, WORD("virtual")};
    expect(info, object, "7Virtual", "virtual");
}

Test(exception_type, strings) {
    const char *text = "thrown itself";
    uint64_t pointer[] = {of_class(), WORD("PKc")}, number[] = {of_class(), WORD("i")};
    expect(pointer, &text, "PKc", "thrown itself");
    expect(number, &text, "i", "");
}

Test(exception_type, own_classes_have_no_text) {
    uint64_t base[] = {of_class(), WORD("St9exception")};
    uint64_t info[] = {of_single(), WORD("3Own"), WORD(base)};
    uint64_t object[] = {0, WORD("not to be read")};
    expect(info, object, "3Own", "");
}

Test(exception_type, long_texts_are_cut_between_characters) {
    static char name[2 * TS_EXCEPTION_TYPE_MOST], text[2 * TS_EXCEPTION_MESSAGE_MOST];
    uint64_t info[] = {of_class(), WORD("St13runtime_error")}, object[] = {0, WORD(text)};
    memset(text, 'a', TS_EXCEPTION_MESSAGE_MOST);
    expect(info, object, "St13runtime_error", text);
    strcpy(text + TS_EXCEPTION_MESSAGE_MOST - 1, "\u00e9 and more");
    cr_assert_not(read_thrown(info, object));
    cr_assert_eq(strlen(message), TS_EXCEPTION_MESSAGE_MOST - 1);
    memset(name, 'n', sizeof name - 1);
    info[1] = WORD(name);
    cr_assert(read_thrown(info, object));
    cr_assert_eq(strlen(type), TS_EXCEPTION_TYPE_MOST);
}

Test(exception_type, pointers_that_lead_nowhere) {
    uint8_t *page = mmap(NULL, 8192, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    uint64_t info[] = {of_class(), WORD("St13runtime_error")}, object[] = {0, 8};
    cr_assert_neq(page, MAP_FAILED);
    cr_assert_eq(mprotect(page + 4096, 4096, PROT_NONE), 0);
    expect(NULL, object, "", "");
    expect((void *)8, object, "", "");
    expect((void *)0x5a5a5a5a5a5a5a5a, object, "", "");
    expect((char *)info + 1, object, "", ""); /* not aligned */
    expect(info, object, "St13runtime_error", "");
    expect(info, NULL, "St13runtime_error", "");
    expect(info, page + 4088, "St13runtime_error", "");
    object[1] = WORD(page + 4092);
    memcpy(page + 4092, "abcd", 4); /* goes on where nothing can be read */
    expect(info, object, "St13runtime_error", "");
    info[1] = WORD(page + 4092);
    expect(info, object, "", "");
}

Test(exception_type, bases_without_end, .timeout = 10) {
    uint64_t info[4], wide[256] = {of_multiple(), WORD("4Wide"), UINT64_MAX};
    uint64_t object[] = {0, WORD("never")};
    info[0] = of_single();
    info[1] = WORD("4Ring");
    info[2] = WORD(info);
    expect(info, object, "4Ring", "");
    for (int i = 3; i < 255; i += 2)
        wide[i] = WORD(wide);
    expect(wide, object, "4Wide", "");
}
