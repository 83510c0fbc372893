/* Cannot find: whether the number is right; make bench shows that. */
#include "collector/clock.h"
#include "collector/recorder.h"
#include "collector/recorder_cost.h"
#include "tests/unit/recorder/failing_system.h"
#include "tests/unit/recorder/reading.h"
#include "tests/unit/recorder/scene.h"

#include <criterion/criterion.h>

TestSuite(recorder_cost, .fini = scene_end);

Test(recorder_cost, is_some_nanoseconds) {
    ts_clock_choose(0);
    uint64_t cost = ts_recorder_cost_measure();
    cr_assert_geq(cost, 500);
    cr_assert_leq(cost, 10000000);
    cr_assert_null(ts_this_recorder);
}

Test(recorder_cost, leaves_no_event_behind) {
    scene_begin(SCENE_BYTES, TS_FULL_STOP);
    scene_enter(0x401000, 0);
    cr_assert_gt(ts_recorder_cost_measure(), 0);
    scene_exit(0x401000, 0);
    struct reading *reading = reading_open(scene_trace());
    cr_assert_eq(reading_count(reading, 1).enters, 1);
    cr_assert_eq(reading_count(reading, 1).exits, 1);
    reading_close(reading);
}

Test(recorder_cost, without_memory_it_is_not_known) {
    failing_system_arm(1u << FAILING_MMAP, 1, 1, 12);
    cr_assert_eq(ts_recorder_cost_measure(), 0);
}
