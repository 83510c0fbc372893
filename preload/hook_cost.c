#include "preload/hook_cost.h"
#include "collector/hook_signature.h"
#include "collector/recorder_cost.h"
#include "preload/hooks.h"

/* The last stub, which a program gets to only when it has used up all others. */
#define NUMBER (TS_HOOK_STUBS - 1)

static int64_t nothing(int64_t first, int64_t second) {
    return first + second;
}

static void call(void) {
    typedef int64_t function(int64_t, int64_t);
    ((function *)ts_hook_stub_address(NUMBER))(1, 2);
}

uint64_t ts_hook_cost_measure(void) {
    static const char text[] = "(first:long second:long)=long|-1 stack=0";
    static struct ts_hook_signature signature;
    const char *problem;
    size_t at;
    struct ts_hook *hook = &ts_hooks[NUMBER];
    if (hook->target || ts_hook_signature_parse(&signature, text, sizeof text - 1, &problem, &at))
        return 0;
    hook->signature = &signature;
    ts_hook_steps_fill(&hook->steps, &signature);
    hook->behaviour = TS_HOOK_HAS_STACK | TS_HOOK_IS_WIDE;
    __atomic_store_n(&hook->target, (uint64_t)nothing, __ATOMIC_RELEASE);
    uint64_t cost = ts_recorder_cost_of(call);
    *hook = (struct ts_hook){0};
    return cost;
}
