#include "preload/signal_handlers.h"
#include "collector/clock.h"
#include "collector/control.h"
#include "collector/recorder_hook.h"
#include "collector/system.h"
#include "preload/hook_call.h"
#include "preload/hooks.h"

#include <stddef.h>
#include <ucontext.h>

/* Of different handlers, and of those installed both with and without SA_SIGINFO. What comes later is not seen. */
#define HANDLERS_MOST 256u

/* User addresses have bit 63 clear. */
#define WITH_INFORMATION (UINT64_C(1) << 63)

static uint32_t first_stub = TS_HOOK_STUBS; /* TS_HOOK_STUBS: not begun */
static uint32_t claimed;
/* The stub first_stub + i is for handlers[i]: its address, WITH_INFORMATION; 0: being made. Only ever added to. */
static uint64_t handlers[HANDLERS_MOST];

void ts_signal_handlers_begin(void) {
    first_stub = ts_hooks_reserve(HANDLERS_MOST);
}

/* What the recorder may need at a first event, with a margin: on less of an alternate stack nothing is recorded. */
#define ROOM_LEAST 3072u

static int is_cramped(const ucontext_t *context, uint64_t cfa) {
    uint64_t room = cfa - (uint64_t)context->uc_stack.ss_sp;
    return room < context->uc_stack.ss_size && room < ROOM_LEAST;
}

/* What the kernel tells lies above the frame that it made. A program that calls the stub itself may tell nothing. */
#define TOLD_ABOVE 65536u

static int is_told(uint64_t pointer, uint64_t cfa) {
    return pointer - cfa < TOLD_ABOVE;
}

static void tell(struct ts_signal_arguments *arguments, const siginfo_t *information) {
    int signal = (int)arguments->signal, code = information->si_code;
    int is_fault = signal == SIGSEGV || signal == SIGBUS || signal == SIGFPE || signal == SIGILL;
    uint64_t address = is_fault && code > 0 ? (uint64_t)information->si_addr : 0;
    int has_sender =
        code == SI_USER || code == SI_QUEUE || code == SI_TKILL || code == SI_MESGQ || (signal == SIGCHLD && code > 0);
    arguments->code = code;
    arguments->sender_pid = has_sender ? (uint32_t)information->si_pid : 0;
    arguments->address = (struct ts_u64){(uint32_t)address, (uint32_t)(address >> 32)};
}

/* The kernel calls a handler. */
static uint64_t deliver(const struct ts_hook_registers *registers, const struct ts_hook_frame *frame) {
    struct {
        struct ts_u64 address;
        struct ts_signal_arguments arguments;
    } words = {.arguments = {.signal = (uint32_t)registers->arguments[0]}};
    static_assert(offsetof(__typeof__(words), arguments) == TS_VALUES_OF_ENTER * sizeof(uint32_t), "an ENTER_WIDE");
    uint64_t cfa = (uint64_t)frame->stack_arguments, stub = ts_hook_stub_address((uint32_t)frame->number);
    uint32_t count = TS_VALUES_OF_ENTER + 1;
    words.address = (struct ts_u64){(uint32_t)stub, (uint32_t)(stub >> 32)};
    if (is_told(registers->arguments[1], cfa) && is_told(registers->arguments[2], cfa)) {
        if (is_cramped((const ucontext_t *)registers->arguments[2], cfa))
            return TS_HOOK_JUMP;
        tell(&words.arguments, (const siginfo_t *)registers->arguments[1]);
        count = sizeof words / sizeof(uint32_t);
    }
    ts_recorder_hook_enter(stub, stub << 32 | (uint32_t)frame->return_address, cfa, (uint64_t)&words, ts_clock_now(),
                           &(struct ts_record_values){.words = &words.address.low, .count = count});
    return 0;
}

static const struct ts_hook_observer delivery = {.observe = deliver};

static void record(uint32_t number, uint64_t handler) {
    static const char name[] = "signal";
    uint64_t stub = ts_hook_stub_address(number), clock = ts_clock_now();
    struct ts_record_hook hook = {
        .clock = {(uint32_t)clock, (uint32_t)(clock >> 32)},
        .address = {(uint32_t)stub, (uint32_t)(stub >> 32)},
        .target = {(uint32_t)handler, (uint32_t)(handler >> 32)},
        .flags = TS_HOOK_HANDLES_SIGNALS,
        .name_bytes = sizeof name - 1,
    };
    ts_control_write(TS_RECORD_HOOK, &hook, sizeof hook, name, sizeof name - 1, NULL, 0);
}

/* The stub for the handler; 0: there is none. Two threads may make two for one handler: both are as good. */
static uint64_t stub_for(uint64_t handler) {
    uint32_t count = __atomic_load_n(&claimed, __ATOMIC_ACQUIRE);
    for (uint32_t i = 0; i < count && i < HANDLERS_MOST; i++)
        if (__atomic_load_n(&handlers[i], __ATOMIC_ACQUIRE) == handler)
            return ts_hook_stub_address(first_stub + i);
    if (count >= HANDLERS_MOST || ts_system_forbidden)
        return 0;
    uint32_t place = __atomic_fetch_add(&claimed, 1, __ATOMIC_ACQ_REL);
    if (place >= HANDLERS_MOST)
        return 0;
    uint32_t number = first_stub + place;
    ts_hooks[number].observer = &delivery;
    ts_hooks[number].target = handler & ~WITH_INFORMATION;
    record(number, handler & ~WITH_INFORMATION);
    __atomic_store_n(&handlers[place], handler, __ATOMIC_RELEASE);
    return ts_hook_stub_address(number);
}

/* What the stub at this address is for; 0: it is not one of these. */
static uint64_t handler_of(uint64_t stub) {
    uint64_t place = (stub - ts_hook_stub_address(first_stub)) / TS_HOOK_STUB_BYTES;
    return first_stub == TS_HOOK_STUBS || !ts_hook_is_stub(stub) || place >= HANDLERS_MOST ? 0 : handlers[place];
}

/* Not SIG_DFL, SIG_IGN, SIG_HOLD or SIG_ERR. */
static int is_handler(uint64_t handler) {
    return handler > 4095 && !(handler & WITH_INFORMATION);
}

static uint64_t added; /* signals whose SA_SIGINFO is ours: bit signal - 1 */

static void note_added(int signal, int is_ours) {
    uint64_t bit = UINT64_C(1) << ((unsigned)(signal - 1) % 64);
    if (is_ours)
        __atomic_fetch_or(&added, bit, __ATOMIC_ACQ_REL);
    else
        __atomic_fetch_and(&added, ~bit, __ATOMIC_ACQ_REL);
}

int ts_signal_handlers_before(int signal) {
    return !!(__atomic_load_n(&added, __ATOMIC_ACQUIRE) & UINT64_C(1) << ((unsigned)(signal - 1) % 64));
}

const struct sigaction *ts_signal_handlers_replace(int signal, const struct sigaction *action, struct sigaction *room) {
    if (first_stub != TS_HOOK_STUBS && action)
        note_added(signal, 0);
    if (first_stub == TS_HOOK_STUBS || !action || !is_handler((uint64_t)action->sa_handler) ||
        ts_hook_is_stub((uint64_t)action->sa_handler))
        return action;
    uint64_t stub = stub_for((uint64_t)action->sa_handler | (action->sa_flags & SA_SIGINFO ? WITH_INFORMATION : 0));
    if (!stub)
        return action;
    struct sigaction wrapped = *action;
    wrapped.sa_handler = (void (*)(int))stub;
    note_added(signal, !(wrapped.sa_flags & SA_SIGINFO));
    wrapped.sa_flags |= SA_SIGINFO;
    *room = wrapped;
    return room;
}

void ts_signal_handlers_hide(struct sigaction *old, int before) {
    uint64_t handler = handler_of((uint64_t)old->sa_handler);
    if (old->sa_handler == SIG_DFL && before)
        old->sa_flags &= ~SA_SIGINFO;
    if (!handler)
        return;
    old->sa_handler = (void (*)(int))(handler & ~WITH_INFORMATION);
    if (!(handler & WITH_INFORMATION))
        old->sa_flags &= ~SA_SIGINFO;
}

void ts_signal_handlers_adopt(int signal, void (*handler)(int)) {
    struct ts_signal_action now;
    if (first_stub == TS_HOOK_STUBS || ts_system_forbidden || !is_handler((uint64_t)handler) ||
        ts_hook_is_stub((uint64_t)handler) || ts_system_failed(ts_system_sigaction(signal, NULL, &now)) ||
        now.handler != (uint64_t)handler)
        return;
    uint64_t stub = stub_for(now.handler | (now.flags & SA_SIGINFO ? WITH_INFORMATION : 0));
    if (!stub)
        return;
    note_added(signal, !(now.flags & SA_SIGINFO));
    now.handler = stub;
    now.flags |= SA_SIGINFO;
    ts_system_sigaction(signal, &now, NULL);
}

void ts_signal_handlers_give_back(int signal) {
    struct ts_signal_action now;
    if (first_stub == TS_HOOK_STUBS || ts_system_forbidden ||
        ts_system_failed(ts_system_sigaction(signal, NULL, &now)) || !handler_of(now.handler))
        return;
    uint64_t handler = handler_of(now.handler);
    now.handler = handler & ~WITH_INFORMATION;
    if (!(handler & WITH_INFORMATION))
        now.flags &= ~(uint64_t)SA_SIGINFO;
    ts_system_sigaction(signal, &now, NULL);
}
