/* Values of hooked calls as attributes, kind by kind, and records that end too early. */
#include "render/hook_values.h"

#include "collector/hook_definitions.h"
#include "collector/trace_format.h"
#include "tests/unit/render/trace_builder.h"

#include <arpa/inet.h>
#include <criterion/criterion.h>
#include <elf.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct telling {
    FILE *out;
    size_t count;
};

static void write_attribute(void *context, const struct ts_attribute *attribute) {
    struct telling *telling = context;
    if (telling->count++)
        putc(' ', telling->out);
    ts_attribute_write_text(attribute, telling->out);
}

/* What is told of the first `words` words; results where `value` is not NULL. The caller frees it. */
static char *told(const struct ts_hooked *hooked, const struct ts_descriptors *descriptors,
                  const struct trace_values *record, uint32_t words, const uint64_t *value) {
    char *text = NULL;
    size_t bytes;
    struct telling telling = {.out = open_memstream(&text, &bytes)};
    /* In memory of its own: a sanitizer sees what is read behind the record. */
    uint32_t *copy = malloc(words * sizeof *copy + 1);
    struct ts_hook_values values = {.tell = write_attribute,
                                    .context = &telling,
                                    .descriptors = descriptors,
                                    .machine = EM_X86_64,
                                    .text = malloc(TS_HOOK_VALUES_TEXT_BYTES)};
    memcpy(copy, record->words, words * sizeof *copy);
    if (value)
        ts_hook_values_tell_results(&values, hooked, *value, copy, copy + words);
    else
        ts_hook_values_tell_arguments(&values, hooked, copy, copy + words);
    fclose(telling.out);
    free(values.text);
    free(copy);
    return text;
}

static void expect_with(const char *symbol, const char *signature, const struct ts_descriptors *descriptors,
                        const struct trace_values *record, const uint64_t *value, const char *wanted) {
    static const struct ts_descriptors none;
    struct ts_hooked *hooked = ts_hooked_new(symbol, signature, "", 0);
    char *text = told(hooked, descriptors ? descriptors : &none, record, record->count, value);
    cr_expect_str_eq(text, wanted);
    free(text);
    ts_hooked_free(hooked);
}

/* One argument of one word. */
static void expect_word(const char *kind, uint32_t word, const char *wanted) {
    char signature[100];
    struct trace_values record = {.count = 0};
    snprintf(signature, sizeof signature, "(%sx:%s)", strcmp(kind, "omode") ? "" : "f:skip ", kind);
    trace_values_word(&record, word);
    expect_with("f", signature, NULL, &record, NULL, wanted);
}

static void expect_long(const char *kind, uint64_t number, const char *wanted) {
    char signature[100];
    struct trace_values record = {.count = 0};
    snprintf(signature, sizeof signature, "(x:%s)", kind);
    trace_values_long(&record, number);
    expect_with("f", signature, NULL, &record, NULL, wanted);
}

static void expect_text(const char *kind, const char *bytes, uint32_t count, uint32_t flags, const char *wanted) {
    char signature[100];
    struct trace_values record = {.count = 0};
    snprintf(signature, sizeof signature, strcmp(kind, "address") ? "(x:%s)" : "(x:%s n:length)", kind);
    trace_values_bytes(&record, bytes, count, flags);
    expect_with("f", signature, NULL, &record, NULL, wanted);
}

static void expect_result(const char *signature, uint64_t value, const char *wanted) {
    const struct trace_values nothing = {.count = 0};
    expect_with("f", signature, NULL, &nothing, &value, wanted);
}

Test(hook_values, numbers) {
    expect_word("int", (uint32_t)-7, "x=-7");
    expect_word("uint", UINT32_MAX, "x=4294967295");
    expect_long("long", (uint64_t)-7, "x=-7");
    expect_long("ulong", UINT64_MAX, "x=18446744073709551615");
    expect_long("size", 4096, "x=4096");
    expect_long("offset", (uint64_t)-1, "x=-1");
    expect_long("hex", 0x7f00, "x=0x7f00");
    expect_long("ptr", 0x7f00, "x=0x7f00");
    expect_long("ptr", 0, "x=None");
    expect_word("bool", 3, "x=True");
    expect_word("bool", 0, "x=False");
    expect_word("pid", (uint32_t)-1, "x=-1");
}

Test(hook_values, flags_modes_and_names) {
    expect_word("oflags", 02000000, "x=O_RDONLY|O_CLOEXEC");
    expect_word("mode", 0644, "x=0644");
    expect_word("mode", 0, "x=0");
    expect_word("whence", 0, "x=SEEK_SET");
    expect_word("signal", 15, "x=SIGTERM");
    expect_word("dirfd", (uint32_t)-100, "x=AT_FDCWD");
    expect_word("dirfd", 7, "x=7");
    expect_word("epollevent", 5, "x=EPOLLIN|EPOLLOUT");
    expect_word("epollevent", UINT32_MAX, "");
}

Test(hook_values, times_are_durations) {
    expect_word("ms", 100, "x=100.00 ms");
    expect_word("ms", 0, "x=0 ns");
    expect_word("ms", (uint32_t)-1, "x=None");
    expect_word("seconds", 5, "x=5.00 s");
    expect_long("timespec", 1500, "x=1.5 µs");
    expect_long("timespec", UINT64_MAX, "x=None");
    expect_long("timeval", 2000000000, "x=2.00 s");
}

Test(hook_values, texts) {
    expect_text("path", "/etc/passwd", 11, 0, "x='/etc/passwd'");
    expect_text("str", "it's", 4, 0, "x=\"it's\"");
    expect_text("str", "", 0, 0, "x=''");
    expect_text("str", "abc", 3, TS_ARGUMENT_TEXT_CUT, "x='abc…'");
    expect_text("str", "", 0, TS_ARGUMENT_TEXT_NULL, "x=None");
    expect_text("str", "", 0, TS_ARGUMENT_TEXT_UNREADABLE, "x=unreadable");
    expect_text("str", "a\0b", 3, 0, "x='a'");
    expect_text("str", "\033[2J\xff", 5, 0, "x='\\x1b[2J\\xff'");
    expect_text("fmode", "r+", 2, 0, "x='r+'");
}

Test(hook_values, a_text_is_cut_between_characters) {
    expect_text("str", "a\xe2\x82", 3, TS_ARGUMENT_TEXT_CUT, "x='a…'");
    expect_text("str", "a\xe2", 2, TS_ARGUMENT_TEXT_CUT, "x='a…'");
    expect_text("str", "a\xe2\x82\xac", 4, TS_ARGUMENT_TEXT_CUT, "x='a€…'");
    expect_text("str", "a\xf0\x9f\x98", 4, TS_ARGUMENT_TEXT_CUT, "x='a…'");
    expect_text("str", "a\xf0\x9f\x98\x80", 5, TS_ARGUMENT_TEXT_CUT, "x='a😀…'");
    expect_text("str", "a\xc3\xa9", 3, TS_ARGUMENT_TEXT_CUT, "x='aé…'");
}

Test(hook_values, addresses) {
    struct sockaddr_in four = {.sin_family = AF_INET, .sin_port = htons(80)};
    four.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    const uint16_t netlink = AF_NETLINK;
    expect_text("address", (const char *)&four, sizeof four, 0, "x='127.0.0.1:80'");
    expect_text("address", (const char *)&netlink, 2, 0, "x=AF_NETLINK");
    expect_text("address", "", 0, TS_ARGUMENT_TEXT_NULL, "x=None");
    expect_text("address", "", 0, 0, "");
}

Test(hook_values, arguments_stand_in_order_and_skipped_ones_take_no_room) {
    struct trace_values record = {.count = 0};
    trace_values_text(&record, "/x");
    trace_values_word(&record, 0100);
    trace_values_word(&record, 0644);
    expect_with("open", "(path:path flags:oflags mode:omode)=fd|-1", NULL, &record, NULL,
                "path='/x' flags=O_RDONLY|O_CREAT mode=0644");
    record.words[record.count - 1] = TS_ARGUMENT_ABSENT;
    expect_with("open", "(path:path flags:oflags mode:omode)=fd|-1", NULL, &record, NULL,
                "path='/x' flags=O_RDONLY|O_CREAT");
    struct trace_values read = {.count = 0};
    trace_values_word(&read, 3);
    trace_values_long(&read, 512);
    expect_with("read", "(fd:fd buffer:skip size:size)=size|-1", NULL, &read, NULL, "fd=3 size=512");
}

Test(hook_values, what_a_number_means_may_hang_on_its_neighbours) {
    struct trace_values record = {.count = 0};
    trace_values_word(&record, 3);
    trace_values_word(&record, 1);
    trace_values_word(&record, 2);
    expect_with("setsockopt", "(fd:fd level:int option:sockopt)=int|-1", NULL, &record, NULL,
                "fd=3 level=1 option=SO_REUSEADDR");
    record.words[1] = 6;
    expect_with("setsockopt", "(fd:fd level:int option:sockopt)=int|-1", NULL, &record, NULL, "fd=3 level=6 option=2");
    struct trace_values at = {.count = 0};
    trace_values_word(&at, 0x200);
    expect_with("unlinkat", "(flags:atflags)", NULL, &at, NULL, "flags=AT_REMOVEDIR");
    expect_with("faccessat", "(flags:atflags)", NULL, &at, NULL, "flags=AT_EACCESS");
}

static void expect_descriptor(const char *kind, uint32_t fd, const struct ts_record_descriptor *record,
                              const void *tail, size_t tail_bytes, const char *wanted) {
    uint32_t words[64] = {0};
    char signature[40];
    struct ts_descriptors table = {0};
    struct trace_values values = {.count = 0};
    memcpy(words, record, sizeof *record);
    memcpy((char *)words + sizeof *record, tail, tail_bytes);
    ts_descriptors_add(&table, words, words + 64);
    trace_values_word(&values, fd);
    snprintf(signature, sizeof signature, "(f:%s)", kind);
    expect_with("f", signature, &table, &values, NULL, wanted);
    ts_descriptors_free(&table);
}

static void expect_text_of_descriptor(const char *text, const char *wanted) {
    const struct ts_record_descriptor record = {.fd = 3, .text_bytes = (uint32_t)strlen(text)};
    expect_descriptor("fd", 3, &record, text, strlen(text), wanted);
}

Test(hook_values, descriptors_and_what_they_refer_to) {
    expect_text_of_descriptor("/etc/passwd", "f=3 f.path='/etc/passwd'");
    expect_text_of_descriptor("pipe:[1234]", "f=3 f.type='pipe'");
    expect_text_of_descriptor("socket:[1234]", "f=3 f.type='socket'");
    expect_text_of_descriptor("anon_inode:[eventfd]", "f=3 f.type='eventfd'");
    expect_text_of_descriptor("anon_inode:inotify", "f=3 f.type='inotify'");
    expect_text_of_descriptor("", "f=3");
    const struct ts_record_descriptor path = {.fd = 3, .text_bytes = 2};
    expect_descriptor("fd", 4, &path, "/x", 2, "f=4");
    expect_descriptor("file", 3, &path, "/x", 2, "f=3 f.path='/x'");
    expect_descriptor("dir", 3, &path, "/x", 2, "f=3 f.path='/x'");
    expect_descriptor("dirfd", 3, &path, "/x", 2, "f=3 f.path='/x'");
    expect_descriptor("file", TS_ARGUMENT_ABSENT, &path, "/x", 2, "");
    const struct ts_record_descriptor cwd = {.fd = -100, .text_bytes = 2};
    expect_descriptor("dirfd", (uint32_t)-100, &cwd, "/x", 2, "f=AT_FDCWD f.path='/x'");
}

Test(hook_values, sockets_are_known_by_their_peer_else_by_their_own_address) {
    struct {
        char text[8];
        struct sockaddr_in local;
        struct sockaddr_in peer;
    } tail = {.text = "socket:", .local = {.sin_family = AF_INET}, .peer = {.sin_family = AF_INET}};
    tail.local.sin_port = htons(1000);
    tail.peer.sin_port = htons(2000);
    struct ts_record_descriptor record = {
        .fd = 3, .text_bytes = 7, .local_bytes = sizeof tail.local, .peer_bytes = sizeof tail.peer};
    expect_descriptor("fd", 3, &record, &tail, sizeof tail, "f=3 f.peer='0.0.0.0:2000'");
    record.peer_bytes = 0;
    expect_descriptor("fd", 3, &record, &tail, sizeof tail, "f=3 f.local='0.0.0.0:1000'");
    record.local_bytes = 2;
    expect_descriptor("fd", 3, &record, &tail, sizeof tail, "f=3 f.type='socket'");
}

static void expect_status(const char *signature, uint32_t status, uint64_t value, const char *wanted) {
    struct trace_values record = {.count = 0};
    trace_values_word(&record, status);
    expect_with("waitpid", signature, NULL, &record, &value, wanted);
}

Test(hook_values, wait_statuses) {
    expect_status("(status:status_out)=pid|-1", 3 << 8, 77, "exit=3 result=77");
    expect_status("(status:status_out)=pid|-1", 9, 77, "signal=SIGKILL result=77");
    expect_status("(status:status_out)=pid|-1", 11 | 0x80, 77, "signal=SIGSEGV core=True result=77");
    expect_status("(status:status_out)=pid|-1", 19 << 8 | 0x7f, 77, "stopped=SIGSTOP result=77");
    expect_status("(status:status_out)=pid|-1", 0xffff, 77, "continued=True result=77");
    expect_status("(status:status_out)=pid|-1", 3 << 8, 0, "result=0"); /* WNOHANG, and no child has ended */
    expect_status("(status:status_out)=pid|-1", TS_ARGUMENT_ABSENT, 77, "result=77");
    expect_status("(status:status_out)", 3 << 8, 0, "exit=3");
}

Test(hook_values, what_calls_fill) {
    struct trace_values fds = {.count = 0};
    const uint64_t zero = 0;
    trace_values_word(&fds, 3);
    trace_values_word(&fds, 4);
    expect_with("pipe", "(fds:fds_out)=int|-1", NULL, &fds, &zero, "fds=[3, 4]");

    struct sockaddr_in peer = {.sin_family = AF_INET, .sin_port = htons(80)};
    struct trace_values address = {.count = 0};
    const uint64_t five = 5;
    trace_values_bytes(&address, &peer, sizeof peer, 0);
    expect_with("accept", "(fd:fd address:address_out size:length)=fd|-1", NULL, &address, &five,
                "address='0.0.0.0:80' result=5");
    struct trace_values null = {.count = 0};
    trace_values_bytes(&null, "", 0, TS_ARGUMENT_TEXT_NULL);
    expect_with("accept", "(fd:fd address:address_out size:length)=fd|-1", NULL, &null, &five, "result=5");
}

Test(hook_values, results_that_say_something) {
    expect_result("()=fd|-1", 3, "result=3");
    expect_result("()=size|-1", 0, "result=0"); /* the end of a file */
    expect_result("()=size|-1", 4096, "result=4096");
    expect_result("()=offset|-1", UINT64_C(1) << 40, "result=1099511627776");
    expect_result("()=pid|-1", 77, "result=77");
    expect_result("()=int|-1", 0, "");
    expect_result("()=count|-1", 0, "result=0"); /* time is up */
    expect_result("()=int|-1", 2, "result=2");
    expect_result("()=int", 0, "result=0"); /* without a rule, 0 is an answer */
    expect_result("()=bool", 0, "result=False");
    expect_result("()=uint|-1", 0, "result=0");
    expect_result("()=int|0,100,101", 100, "result=100");
    expect_result("()=int|errno", 0, "");
    expect_result("()=ptr|null", 0x5500, "result=0x5500");
    expect_result("()=mode", 022, "result=022");
    expect_result("()=seconds", 0, "");
    expect_result("()=seconds", 2, "result=2.00 s");
    expect_result("()=file|null", 0x5500, "");
    expect_result("()=-1", 7, "");
    expect_result("()", 7, "");
    expect_result("()=int|-1", UINT64_C(0xdead00000002), "result=2"); /* the upper half of a 32-bit result is noise */
}

/* Every kind, at every length: what is there is told, and nothing else is read. */
Test(hook_values, records_that_end_too_early) {
    struct ts_hooked *hooked = ts_hooked_new("f",
                                             "(a:path z:oflags b:int c:size d:timespec e:fd f:address g:length "
                                             "h:str i:omode)=size|-1",
                                             "", 0);
    static const struct ts_descriptors none;
    struct trace_values record = {.count = 0};
    cr_assert_eq(hooked->parsed.argument_count, 10);
    trace_values_text(&record, "/etc");
    trace_values_word(&record, 0);
    trace_values_word(&record, 1);
    trace_values_long(&record, 2);
    trace_values_long(&record, 3);
    trace_values_word(&record, 4);
    trace_values_bytes(&record, "\1\0/run/x", 8, 0);
    trace_values_text(&record, "text");
    trace_values_word(&record, 0600);
    static const char whole[] = "a='/etc' z=O_RDONLY b=1 c=2 d=3 ns e=4 f='unix:/run/x' h='text' i=0600";
    size_t shorter = 0;
    for (uint32_t words = 0; words <= record.count; words++) {
        char *text = told(hooked, &none, &record, words, NULL);
        size_t bytes = strlen(text);
        cr_expect(strncmp(text, whole, bytes) == 0 && (whole[bytes] == 0 || whole[bytes] == ' ' || bytes == 0), "%s",
                  text);
        cr_expect_geq(bytes, shorter);
        shorter = bytes;
        free(text);
    }
    cr_expect_eq(shorter, sizeof whole - 1);
    ts_hooked_free(hooked);
}

Test(hook_values, texts_longer_than_their_record) {
    static const struct ts_descriptors none;
    struct ts_hooked *hooked = ts_hooked_new("f", "(n:int a:path b:int)", "", 0);
    for (uint32_t length = 5; length <= 0xffff; length = length * 3 + 1) {
        struct trace_values record = {.words = {1, length, 0x61616161, 2}, .count = 4};
        char *text = told(hooked, &none, &record, 3, NULL);
        cr_expect_str_eq(text, "n=1");
        free(text);
    }
    ts_hooked_free(hooked);
}

Test(hook_values, the_longest_text) {
    static const struct ts_descriptors none;
    struct ts_hooked *hooked = ts_hooked_new("f", "(a:path)", "", 0);
    uint32_t *words = malloc(4 * 0x4001);
    memset(words, 'a', 4 * 0x4001);
    words[0] = 0xffff | TS_ARGUMENT_TEXT_CUT;
    struct telling telling = {.out = fopen("/dev/null", "w")};
    struct ts_hook_values values = {
        .tell = write_attribute, .context = &telling, .descriptors = &none, .text = malloc(TS_HOOK_VALUES_TEXT_BYTES)};
    ts_hook_values_tell_arguments(&values, hooked, words, words + 0x4001);
    cr_expect_eq(telling.count, 1);
    cr_expect_eq(strlen(values.text), 0xffff + strlen("…"));
    fclose(telling.out);
    free(values.text);
    free(words);
    ts_hooked_free(hooked);
}

Test(hook_values, a_signature_that_does_not_parse_says_nothing) {
    struct trace_values record = {.count = 0};
    const uint64_t value = 7;
    trace_values_long(&record, 1);
    expect_with("f", "(path:nonsense)=fd|-1", NULL, &record, NULL, "");
    expect_with("f", "(path:nonsense)=fd|-1", NULL, &record, &value, "");
    expect_with("f", "path:", NULL, &record, NULL, "");
    expect_with("f", "", NULL, &record, &value, "");
}

/* A value of this store that is there. */
static void add_value(struct trace_values *record, enum ts_argument_store store) {
    switch (store) {
    case TS_ARGUMENT_WORD:
    case TS_ARGUMENT_WORD_OUT:
        trace_values_word(record, 1);
        break;
    case TS_ARGUMENT_LONG:
    case TS_ARGUMENT_TIMESPEC:
    case TS_ARGUMENT_FDS_OUT:
        trace_values_long(record, 1);
        break;
    case TS_ARGUMENT_TEXT:
    case TS_ARGUMENT_BYTES:
    case TS_ARGUMENT_BYTES_OUT:
        trace_values_bytes(record, "\1\0x", 3, 0);
        break;
    case TS_ARGUMENT_NONE:
        break;
    }
}

/* Every line of hooks.def, so every kind: each argument that is recorded is told, whatever the record's length. */
Test(hook_values, every_function_that_is_known) {
    static const struct ts_descriptors none;
    cr_assert_gt(ts_hook_definition_count, 250);
    for (uint32_t i = 0; i < ts_hook_definition_count; i++) {
        const struct ts_hook_definition *definition = &ts_hook_definitions[i];
        const char *symbol = ts_hook_definition_symbol(definition);
        const char *signature = ts_hook_definition_signature(definition);
        struct ts_hooked *hooked = ts_hooked_new(symbol, signature, "", 0);
        struct trace_values arguments = {.count = 0};
        struct trace_values filled = {.count = 0};
        unsigned told_before = 0;
        for (uint32_t k = 0; k < hooked->parsed.argument_count; k++) {
            enum ts_argument_store store = ts_hook_kind_store(hooked->parsed.arguments[k].kind);
            add_value(store < TS_ARGUMENT_WORD_OUT ? &arguments : &filled, store);
            told_before += store != TS_ARGUMENT_NONE && store < TS_ARGUMENT_WORD_OUT;
        }
        for (uint32_t words = 0; words <= arguments.count; words++) {
            char *text = told(hooked, &none, &arguments, words, NULL);
            unsigned seen = 0;
            for (const char *at = text; (at = strchr(at, '=')); at++)
                seen++;
            cr_assert(seen <= told_before && (words < arguments.count || seen == told_before), "%s%s: %s", symbol,
                      signature, text);
            free(text);
        }
        for (uint32_t words = 0; words <= filled.count; words++)
            free(told(hooked, &none, &filled, words, &(uint64_t){1}));
        ts_hooked_free(hooked);
    }
}
