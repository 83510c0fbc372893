/* Level 3: an exception that was kept and is thrown again, in another thread too, is known by what it was, and leaves
 * the calls that it leaves there.
 * BUILD: g++ -O1 -pthread
 * BUILD: clang++ -O1 -pthread
 * ENV: TRACE_LEVEL=3
 * ENV: TRACE_HOOKS=
 * ENV: TRACE_FUNCTIONS=-*,keep,again,after
 * CALLS: again 2
 * CALLS: after 2
 * PARENT: after < -
 * NOT-EMULATED: the emulator cannot make the process that reads the names
 * INFO: exceptions: 3 thrown, 0 rethrown, 3 caught, 0 uncaught
 * INFO: left by exceptions: 2
 * INFO: unfinished: 0
 */
#include <cstdio>
#include <stdexcept>
#include <thread>

struct Kept : std::logic_error {
    Kept() : std::logic_error("kept") {
    }
};

#define FUNCTION extern "C" __attribute__((noinline)) void

static std::exception_ptr kept;

FUNCTION keep() {
    try {
        throw Kept();
    } catch (...) {
        kept = std::current_exception();
    }
}
FUNCTION again() {
    std::rethrow_exception(kept);
}
FUNCTION after() {
    __asm__ volatile("");
}

static void attempt() {
    try {
        again();
    } catch (const std::exception &e) {
        std::printf("%s\n", e.what());
    }
    after();
}

int main() {
    keep();
    attempt();
    std::thread(attempt).join();
    kept = nullptr;
    return 0;
}
