/* Stacks that calls run on. Cannot find: stacks that a program makes without makecontext (tests/e2e/021). */
#include "collector/recorder.h"
#include "collector/stacks.h"
#include "collector/trace_map.h"
#include "preload/instrument.h"
#include "tests/unit/recorder/failing_system.h"
#include "tests/unit/recorder/reading.h"
#include "tests/unit/recorder/scene.h"

#include <criterion/criterion.h>
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/mman.h>

TestSuite(recorder_stack, .fini = scene_end);

static struct ts_instrument_hooks hooks;

#define ENTER(function) hooks.enter((void *)(function), __builtin_return_address(0))
#define LEAVE(function) hooks.exit((void *)(function), __builtin_return_address(0))

static void begin(void) {
    scene_begin(SCENE_BYTES, TS_FULL_STOP);
    hooks = ts_instrument_choose(ts_clock_source, 0, 0);
}

static volatile char sink;

__attribute__((noinline)) static void deep(unsigned levels) {
    volatile char room[16384]; /* the stack goes down fast */
    ENTER(deep);
    room[0] = (char)levels;
    __asm__ volatile("" : : "r"(room) : "memory");
    if (levels)
        deep(levels - 1);
    sink = room[0];
    LEAVE(deep);
}

__attribute__((noinline)) static void *run_deep(void *levels) {
    ENTER(run_deep);
    deep((unsigned)(uintptr_t)levels);
    LEAVE(run_deep);
    return NULL;
}

static void *run_deep_first(void *levels) {
    deep((unsigned)(uintptr_t)levels);
    return NULL;
}

/* 48 MiB of a stack of 64 MiB, the default being 8. */
Test(recorder_stack, a_thread_with_a_large_stack_has_one_stack) {
    enum { LEVELS = 3000 };
    pthread_attr_t attributes;
    pthread_t thread;
    begin();
    cr_assert_eq(pthread_attr_init(&attributes), 0);
    cr_assert_eq(pthread_attr_setstacksize(&attributes, 64u << 20), 0);
    cr_assert_eq(pthread_create(&thread, &attributes, run_deep, (void *)LEVELS), 0);
    cr_assert_eq(pthread_join(thread, NULL), 0);
    struct reading *reading = reading_open(scene_trace());
    struct reading_counts counts = reading_count(reading, 1);
    cr_assert_eq(counts.enters, LEVELS + 2);
    cr_assert_eq(reading_check_thread(reading, 1), 0);
    cr_assert_eq(reading_calls_below(reading, 1, (uint64_t)deep, (uint64_t)deep), LEVELS,
                 "%llu calls hang below their caller",
                 (unsigned long long)reading_calls_below(reading, 1, (uint64_t)deep, (uint64_t)deep));
    cr_assert_eq(counts.switches, 0, "its one stack is taken for %llu", (unsigned long long)counts.switches);
    cr_assert_eq(counts.exits, LEVELS + 2);
    reading_close(reading);
}

Test(recorder_stack, a_thread_with_a_small_stack) {
    pthread_attr_t attributes;
    pthread_t thread;
    begin();
    cr_assert_eq(pthread_attr_init(&attributes), 0);
    cr_assert_eq(pthread_attr_setstacksize(&attributes, 1u << 20), 0); /* a sanitizer needs some of it */
    cr_assert_eq(pthread_create(&thread, &attributes, run_deep, (void *)8), 0);
    cr_assert_eq(pthread_join(thread, NULL), 0);
    struct reading *reading = reading_open(scene_trace());
    cr_assert_eq(reading_count(reading, 1).enters, 10);
    cr_assert_eq(reading_count(reading, 1).exits, 10);
    cr_assert_eq(reading_check_thread(reading, 1), 0);
    reading_close(reading);
}

/* The return address of a thread's first call may lie pages above the hook's frame. */
Test(recorder_stack, the_first_call_of_a_thread_may_have_a_large_frame) {
    begin();
    scene_in_thread(run_deep_first, (void *)8);
    struct reading *reading = reading_open(scene_trace());
    struct reading_counts counts = reading_count(reading, 1);
    cr_assert_eq(counts.enters, 9);
    cr_assert_eq(reading->header->misnested, 0, "its exit finds no call");
    cr_assert_eq(counts.exits, 9, "%llu exits, %llu calls unwound", (unsigned long long)counts.exits,
                 (unsigned long long)counts.unwound);
    reading_close(reading);
}

__attribute__((noinline)) static void on_alternate(int signal) {
    ENTER(on_alternate);
    deep(signal ? 2 : 3);
    LEAVE(on_alternate);
}

__attribute__((noinline)) static void raising(void) {
    ENTER(raising);
    raise(SIGUSR1);
    LEAVE(raising);
}

static void set_alternate_stack(void *memory, size_t bytes) {
    stack_t stack = {.ss_sp = memory, .ss_size = bytes};
    struct sigaction action = {.sa_handler = on_alternate, .sa_flags = SA_ONSTACK};
    cr_assert_eq(sigaltstack(&stack, NULL), 0);
    cr_assert_eq(sigaction(SIGUSR1, &action, NULL), 0);
}

static void check_alternate(void) {
    struct reading *reading = reading_open(scene_trace());
    struct reading_counts counts = reading_count(reading, 1);
    cr_assert_eq(counts.enters, 3 * (1 + 1 + 3));
    cr_assert_eq(counts.exits, counts.enters);
    cr_assert_eq(counts.unwound, 0);
    cr_assert_eq(reading_calls_below(reading, 1, (uint64_t)on_alternate, (uint64_t)raising), 3);
    cr_assert_eq(reading_calls_below(reading, 1, (uint64_t)deep, (uint64_t)on_alternate), 3);
    cr_assert_eq(reading_calls_below(reading, 1, (uint64_t)raising, 0), 3);
    cr_assert_eq(reading->header->misnested, 0);
    cr_assert_eq(reading_check_thread(reading, 1), 0);
    reading_close(reading);
}

Test(recorder_stack, handlers_on_an_alternate_stack_nest_in_what_they_interrupt) {
    char *stack = malloc(256u << 10);
    begin();
    set_alternate_stack(stack, 256u << 10);
    for (unsigned i = 0; i < 3; i++)
        raising();
    check_alternate();
    sigaltstack(&(stack_t){.ss_flags = SS_DISABLE}, NULL);
    free(stack);
}

/* An alternate stack inside the thread's own: addresses say nothing. */
Test(recorder_stack, also_when_it_lies_inside_the_threads_own) {
    char inside[256u << 10];
    begin();
    set_alternate_stack(inside, sizeof inside);
    for (unsigned i = 0; i < 3; i++)
        raising();
    check_alternate();
}

#define OUTER 0x401000
#define INNER 0x402000

/* A call in a frame at `cfa` of any stack. */
static void enter_on(uint64_t function, uint64_t cfa) {
    scene_enter_at(function, 0x500, cfa, ts_clock_now(), 0, 0);
}

static void exit_on(uint64_t function, uint64_t cfa) {
    scene_exit_at(function, cfa, ts_clock_now(), 0);
}

Test(recorder_stack, noted_stacks_are_tracks_of_their_own) {
    enum { STACK = 65536, TRACKS = 3 };
    uint8_t *memory = mmap(NULL, TRACKS * STACK, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    uint64_t top[TRACKS];
    begin();
    for (unsigned i = 0; i < TRACKS; i++) {
        ts_stacks_note((uint64_t)memory + i * STACK, STACK);
        top[i] = (uint64_t)memory + (i + 1) * STACK - 64;
    }
    scene_enter(OUTER, 0);
    for (unsigned round = 0; round < 50; round++)
        for (unsigned i = 0; i < TRACKS; i++) /* each goes one deeper, and all stay open */
            enter_on(INNER + 16 * i, top[i] - 64 * round);
    cr_assert_eq(scene_shadow_depth(), 50);
    for (unsigned round = 50; round-- > 0;)
        for (unsigned i = 0; i < TRACKS; i++)
            exit_on(INNER + 16 * i, top[i] - 64 * round);
    scene_exit(OUTER, 0);
    struct reading *reading = reading_open(scene_trace());
    struct reading_counts counts = reading_count(reading, 1);
    cr_assert_eq(counts.enters, 1 + 50 * TRACKS);
    cr_assert_eq(counts.exits, counts.enters);
    cr_assert_eq(counts.unwound, 0);
    cr_assert_eq(counts.switches, 2 * 50 * TRACKS + 1);
    cr_assert_eq(reading->header->misnested, 0);
    cr_assert_eq(reading_check_thread(reading, 1), 0);
    cr_assert_eq(reading_calls_below(reading, 1, INNER, INNER), 49);
    reading_close(reading);
}

Test(recorder_stack, more_stacks_than_one_page_of_tracks_holds) {
    enum { STACK = 16384, TRACKS = 3000 };
    uint8_t *memory = mmap(NULL, TRACKS * STACK, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    begin();
    for (uint64_t i = 0; i < TRACKS; i++) {
        ts_stacks_note((uint64_t)memory + i * STACK, STACK);
        enter_on(OUTER, (uint64_t)memory + (i + 1) * STACK - 64);
    }
    for (uint64_t i = 0; i < TRACKS; i++)
        exit_on(OUTER, (uint64_t)memory + (i + 1) * STACK - 64);
    struct reading *reading = reading_open(scene_trace());
    cr_assert_eq(reading_count(reading, 1).enters, TRACKS);
    cr_assert_eq(reading_count(reading, 1).exits, TRACKS);
    cr_assert_eq(reading_count(reading, 1).unwound, 0);
    cr_assert_eq(reading->header->misnested, 0);
    reading_close(reading);
}

/* Nobody announced it: its first frame is near its top. */
Test(recorder_stack, a_stack_that_nobody_announced) {
    enum { STACK = 1 << 20 };
    uint8_t *memory = mmap(NULL, STACK, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    uint64_t top = (uint64_t)memory + STACK - 64;
    begin();
    scene_enter(OUTER, 0);
    for (unsigned i = 0; i < 100; i++)
        enter_on(INNER, top - 1024 * i);
    scene_call(OUTER + 16, 1);
    for (unsigned i = 100; i-- > 0;)
        exit_on(INNER, top - 1024 * i);
    scene_exit(OUTER, 0);
    struct reading *reading = reading_open(scene_trace());
    cr_assert_eq(reading_count(reading, 1).enters, 102);
    cr_assert_eq(reading_count(reading, 1).exits, 102);
    cr_assert_eq(reading_count(reading, 1).unwound, 0);
    cr_assert_eq(reading_calls_below(reading, 1, OUTER + 16, OUTER), 1);
    reading_close(reading);
}

/* The second context on a stack begins deeper than the first, which never ended. */
Test(recorder_stack, a_new_context_ends_the_calls_of_the_old_one) {
    enum { STACK = 65536 };
    uint8_t *memory = mmap(NULL, STACK, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    uint64_t top = (uint64_t)memory + STACK;
    begin();
    scene_enter(OUTER, 0);
    ts_stacks_note((uint64_t)memory, STACK);
    enter_on(INNER, top - 64);
    scene_call(OUTER + 16, 1);
    ts_stacks_note((uint64_t)memory, STACK);
    enter_on(INNER + 16, top - 1024);
    exit_on(INNER + 16, top - 1024);
    scene_exit(OUTER, 0);
    struct reading *reading = reading_open(scene_trace());
    cr_assert_eq(reading_count(reading, 1).unwound, 1);
    cr_assert_eq(reading_calls_below(reading, 1, INNER + 16, 0), 1);
    cr_assert_eq(reading_calls_below(reading, 1, OUTER + 16, OUTER), 1);
    cr_assert_eq(reading->header->misnested, 0);
    cr_assert_eq(reading_check_thread(reading, 1), 0);
    reading_close(reading);
}

/* As malloc would place them; every third context never ends. */
Test(recorder_stack, tracks_do_not_become_more_than_stacks_that_live) {
    enum { REGION = 1 << 20, CONTEXTS = 3000 };
    uint8_t *memory = mmap(NULL, REGION, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    uint64_t random = 1;
    begin();
    scene_enter(OUTER, 0);
    for (unsigned i = 0; i < CONTEXTS; i++) {
        random = random * 6364136223846793005 + 1442695040888963407;
        uint64_t bytes = 16384 + (random >> 33) % 3000 * 16;
        uint64_t low = (uint64_t)memory + (random >> 48) % ((REGION - bytes) / 16) * 16;
        ts_stacks_note(low, bytes);
        enter_on(INNER, low + bytes - 64);
        if (i % 3)
            exit_on(INNER, low + bytes - 64);
        scene_call(OUTER + 16, 1);
    }
    scene_exit(OUTER, 0);
    cr_assert_leq(ts_this_recorder->track_count, 160, "%u tracks", ts_this_recorder->track_count);
    struct reading *reading = reading_open(scene_trace());
    struct reading_counts counts = reading_count(reading, 1);
    uint64_t open = reading_check_thread(reading, 1);
    cr_assert_eq(counts.exits + counts.unwound + open, counts.enters);
    cr_assert_leq(open, 160);
    cr_assert_eq(reading_calls_below(reading, 1, INNER, 0), CONTEXTS);
    cr_assert_eq(reading_calls_below(reading, 1, OUTER + 16, OUTER), CONTEXTS);
    cr_assert_eq(reading->header->misnested, 0);
    reading_close(reading);
}

/* Runs `body` in a thread whose stack this is. */
static void in_thread_on(void *(*body)(void *), void *context, void *memory, size_t bytes) {
    pthread_attr_t attributes;
    pthread_t thread;
    cr_assert_eq(pthread_attr_init(&attributes), 0);
    cr_assert_eq(pthread_attr_setstack(&attributes, memory, bytes), 0);
    cr_assert_eq(pthread_create(&thread, &attributes, body, context), 0);
    cr_assert_eq(pthread_join(thread, NULL), 0);
    pthread_attr_destroy(&attributes);
}

Test(recorder_stack, a_thread_runs_where_contexts_did) {
    enum { BYTES = 4 << 20, CONTEXT = 65536, LEVELS = 40 }; /* a sanitizer needs some of it */
    uint8_t *memory = mmap(NULL, BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    begin();
    for (unsigned i = 0; i < BYTES / CONTEXT; i++)
        ts_stacks_note((uint64_t)memory + i * CONTEXT, CONTEXT);
    in_thread_on(run_deep, (void *)LEVELS, memory, BYTES);
    struct reading *reading = reading_open(scene_trace());
    struct reading_counts counts = reading_count(reading, 1);
    cr_assert_eq(counts.enters, LEVELS + 2);
    cr_assert_eq(counts.exits, LEVELS + 2);
    cr_assert_eq(counts.switches, 0, "%llu switches", (unsigned long long)counts.switches);
    cr_assert_eq(reading_check_thread(reading, 1), 0);
    reading_close(reading);
}

static uint64_t context_top;
enum { VISITS = 31 };

/* Goes to a context and back, deeper each time, while the thread's own calls stay open. */
__attribute__((noinline)) static void visit_context(uint64_t visit) {
    volatile char room[8192];
    ENTER(visit_context);
    room[0] = (char)visit;
    __asm__ volatile("" : : "r"(room) : "memory");
    enter_on(INNER + 16 * visit, context_top - 512 * visit);
    if (visit + 1 < VISITS)
        visit_context(visit + 1);
    exit_on(INNER + 16 * visit, context_top - 512 * visit);
    sink = room[0];
    LEAVE(visit_context);
}

static void *visit_context_first(void *context) {
    visit_context(0);
    return context;
}

/* Smaller than the usual thread's: what lies below it is another stack, noted or not. */
static void check_below_thread_stack(int noted) {
    enum { BYTES = 4 << 20, CONTEXT = 65536, GUARD = 4096 };
    uint8_t *memory = mmap(NULL, CONTEXT + GUARD + BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    cr_assert_eq(mprotect(memory + CONTEXT, GUARD, PROT_NONE), 0);
    context_top = (uint64_t)memory + CONTEXT - 64;
    begin();
    if (noted)
        ts_stacks_note((uint64_t)memory, CONTEXT);
    in_thread_on(visit_context_first, NULL, memory + CONTEXT + GUARD, BYTES);
    struct reading *reading = reading_open(scene_trace());
    struct reading_counts counts = reading_count(reading, 1);
    cr_assert_eq(counts.enters, 2 * VISITS);
    cr_assert_eq(counts.exits, 2 * VISITS);
    cr_assert_eq(reading_calls_below(reading, 1, (uint64_t)visit_context, (uint64_t)visit_context), VISITS - 1);
    cr_assert_eq(reading_calls_below(reading, 1, INNER, 0), 1);
    for (uint64_t visit = 1; visit < VISITS; visit++)
        cr_assert_eq(reading_calls_below(reading, 1, INNER + 16 * visit, INNER + 16 * (visit - 1)), 1);
    cr_assert_eq(reading->header->misnested, 0);
    cr_assert_eq(reading_check_thread(reading, 1), 0);
    reading_close(reading);
}

Test(recorder_stack, a_context_just_below_a_threads_stack) {
    check_below_thread_stack(1);
}

Test(recorder_stack, the_same_unannounced) {
    check_below_thread_stack(0);
}

/* Without pages between them that would tell where one ends. */
Test(recorder_stack, unannounced_stacks_side_by_side) {
    enum { STACK = 65536, TRACKS = 4, ROUNDS = 40 };
    uint8_t *memory = mmap(NULL, TRACKS * STACK, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    begin();
    scene_enter(OUTER, 0);
    for (unsigned round = 0; round < ROUNDS; round++)
        for (uint64_t i = 0; i < TRACKS; i++)
            enter_on(INNER + 16 * i, (uint64_t)memory + (TRACKS - i) * STACK - 64 - 1000 * round);
    for (unsigned round = ROUNDS; round-- > 0;)
        for (uint64_t i = 0; i < TRACKS; i++)
            exit_on(INNER + 16 * i, (uint64_t)memory + (TRACKS - i) * STACK - 64 - 1000 * round);
    scene_exit(OUTER, 0);
    struct reading *reading = reading_open(scene_trace());
    struct reading_counts counts = reading_count(reading, 1);
    cr_assert_eq(counts.enters, 1 + ROUNDS * TRACKS);
    cr_assert_eq(counts.exits, counts.enters);
    cr_assert_eq(counts.unwound, 0);
    for (uint64_t i = 0; i < TRACKS; i++)
        cr_assert_eq(reading_calls_below(reading, 1, INNER + 16 * i, INNER + 16 * i), ROUNDS - 1);
    cr_assert_eq(reading_check_thread(reading, 1), 0);
    reading_close(reading);
}

/* The handler comes when the hook has found out that it knows its stack. */
Test(recorder_stack, a_hook_goes_on_after_a_handler_on_the_alternate_stack) {
    char *stack = malloc(256u << 10);
    begin();
    set_alternate_stack(stack, 256u << 10);
    scene_enter(OUTER, 0);
    for (unsigned depth = 1; depth < 4; depth++) {
        uint64_t cfa = scene_frame(depth);
        raise(SIGUSR1);
        ts_recorder_enter(ts_this_recorder, INNER, depth, cfa, cfa - 32, ts_clock_now(), 0, 0);
    }
    raise(SIGUSR1);
    for (unsigned depth = 4; depth-- > 1;)
        scene_exit(INNER, depth);
    scene_exit(OUTER, 0);
    struct reading *reading = reading_open(scene_trace());
    struct reading_counts counts = reading_count(reading, 1);
    cr_assert_eq(counts.enters, 1 + 3 + 4 * (1 + 3));
    cr_assert_eq(counts.exits, counts.enters);
    cr_assert_eq(counts.unwound, 0);
    cr_assert_eq(reading->header->misnested, 0);
    cr_assert_eq(reading_calls_below(reading, 1, INNER, INNER), 2);
    cr_assert_eq(reading_check_thread(reading, 1), 0);
    reading_close(reading);
    sigaltstack(&(stack_t){.ss_flags = SS_DISABLE}, NULL);
    free(stack);
}

/* Preempted in the middle of a hook, and resumed when another stack was the current one. */
Test(recorder_stack, a_hook_goes_on_under_another_track) {
    enum { STACK = 65536 };
    uint8_t *memory = mmap(NULL, STACK, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    uint64_t top = (uint64_t)memory + STACK - 64;
    begin();
    ts_stacks_note((uint64_t)memory, STACK);
    scene_enter(OUTER, 0);
    enter_on(INNER, top);
    enter_on(INNER, top - 64);
    scene_call(OUTER + 16, 1);
    struct ts_recorder *recorder = ts_this_recorder;
    cr_assert_eq(recorder->track_count, 2);
    struct ts_shadow_entry *own = recorder->top, *stray = recorder->tracks[1].top - 1;
    recorder->top = stray; /* what the last store of an EXIT does */
    stray[1].cfa = stray[1].position = 0;
    scene_call(OUTER + 16, 1);
    cr_assert_eq(recorder->top, own);
    cr_assert_eq(recorder->tracks[1].top, stray);
    exit_on(INNER, top);
    scene_exit(OUTER, 0);
    cr_assert_eq(scene_shadow_depth(), 0);
    cr_assert_eq(ts_trace_map.header->misnested, 0);
}

Test(recorder_stack, no_memory_for_stacks) {
    enum { STACK = 65536 };
    uint8_t *memory = mmap(NULL, STACK, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    uint64_t top = (uint64_t)memory + STACK - 64;
    begin();
    scene_enter(OUTER, 0);
    for (uint64_t fails = 1; fails < 5; fails++) { /* at the n-th mapping that is asked for */
        failing_system_arm(1u << FAILING_MMAP, fails, UINT64_MAX, ENOMEM);
        ts_stacks_note((uint64_t)memory, STACK);
        enter_on(INNER, top);
        exit_on(INNER, top);
        scene_call(OUTER + 16, 1);
        failing_system_disarm();
    }
    scene_exit(OUTER, 0);
    struct reading *reading = reading_open(scene_trace());
    struct reading_counts counts = reading_count(reading, 1);
    cr_assert_eq(counts.enters, 9);
    cr_assert_eq(counts.exits + counts.unwound, 9);
    cr_assert_eq(reading_check_thread(reading, 1), 0);
    reading_close(reading);
}
