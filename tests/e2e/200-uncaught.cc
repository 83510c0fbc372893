/* Exceptions that nobody catches, one of each way for 200-uncaught.sh. argv: which. */
#include <cstdlib>
#include <stdexcept>
#include <thread>

#define FUNCTION extern "C" __attribute__((noinline)) void

FUNCTION thrower() {
    throw std::runtime_error("nobody");
}
FUNCTION outer() {
    thrower();
}
FUNCTION guarded() noexcept {
    outer();
}

int main(int, char **arguments) {
    switch (std::atoi(arguments[1])) {
    case 0:
        outer();
        break;
    case 1:
        guarded();
        break;
    case 2:
        std::thread(outer).join();
        break;
    default:
        try {
            outer();
        } catch (...) {
            throw;
        }
    }
    return 0;
}
