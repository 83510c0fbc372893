#include "render/clock_list.h"

#include <criterion/criterion.h>

Test(clock_list, the_next_is_later_than_the_clock) {
    static const uint64_t clocks[] = {10, 20, 20, 30};
    cr_expect_eq(ts_clock_list_next(clocks, 4, 0), 10);
    cr_expect_eq(ts_clock_list_next(clocks, 4, 9), 10);
    cr_expect_eq(ts_clock_list_next(clocks, 4, 10), 20);
    cr_expect_eq(ts_clock_list_next(clocks, 4, 20), 30);
    cr_expect_eq(ts_clock_list_next(clocks, 4, 29), 30);
    cr_expect_eq(ts_clock_list_next(clocks, 3, 20), UINT64_MAX);
    cr_expect_eq(ts_clock_list_next(clocks, 4, 30), UINT64_MAX);
    cr_expect_eq(ts_clock_list_next(NULL, 0, 5), UINT64_MAX);
}
