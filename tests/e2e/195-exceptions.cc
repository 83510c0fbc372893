// clang-format off
/* Level 3: what was thrown, rethrown and caught is an event, with its type as a person reads it and its text where that
 * can be read: the standard's exceptions and what derives from them, in one base or several, virtual ones too, and
 * strings. A call that an exception leaves says by which. A what() of the program's own is not called. Where it happens
 * is told as of a call, with the stack that leads there. Rows A43, C19.
 * BUILD: g++ -O1 -fno-instrument-functions
 * ENV: TRACE_LEVEL=3
 * ENV: TRACE_HOOKS=
 * INFO: exceptions: 9 thrown, 2 rethrown, 11 caught, 0 uncaught
 * TREE:
 * └── main (from stack) {app}
 *     ├── attempt (from stack) {app}
 *     │   ├── raise_one (from stack) {app}
 *     │   │   └── throw (dur) {app} [exception.type='std::runtime_error', exception.message='deep', from='raise_one', at='195-exceptions.cc:82']
 *     │   ├── catch (dur) {app} [exception.type='std::runtime_error', in='attempt', at='195-exceptions.cc:105']
 *     │   ├── raise_one (from stack) {app}
 *     │   │   └── throw (dur) {app} [exception.type='Own', from='raise_one', at='195-exceptions.cc:84']
 *     │   ├── catch (dur) {app} [exception.type='Own', in='attempt', at='195-exceptions.cc:105']
 *     │   ├── raise_one (from stack) {app}
 *     │   │   └── throw (dur) {app} [exception.type='Derived', exception.message='disk full', from='raise_one', at='195-exceptions.cc:86']
 *     │   ├── catch (dur) {app} [exception.type='Derived', in='attempt', at='195-exceptions.cc:105']
 *     │   ├── raise_one (from stack) {app}
 *     │   │   └── throw (dur) {app} [exception.type='Virtual', exception.message='by a virtual base', from='raise_one', at='195-exceptions.cc:88']
 *     │   ├── catch (dur) {app} [exception.type='Virtual', in='attempt', at='195-exceptions.cc:105']
 *     │   ├── raise_one (from stack) {app}
 *     │   │   └── throw (dur) {app} [exception.type='Hidden', exception.message='in no namespace', from='raise_one', at='195-exceptions.cc:90']
 *     │   ├── catch (dur) {app} [exception.type='Hidden', in='attempt', at='195-exceptions.cc:105']
 *     │   ├── raise_one (from stack) {app}
 *     │   │   └── throw (dur) {app} [exception.type='int', from='raise_one', at='195-exceptions.cc:92']
 *     │   ├── catch (dur) {app} [exception.type='int', in='attempt', at='195-exceptions.cc:105']
 *     │   ├── raise_one (from stack) {app}
 *     │   │   └── throw (dur) {app} [exception.type='char const*', exception.message="it's text", from='raise_one', at='195-exceptions.cc:94']
 *     │   ├── catch (dur) {app} [exception.type='char const*', in='attempt', at='195-exceptions.cc:105']
 *     │   ├── raise_one (from stack) {app}
 *     │   │   └── throw (dur) {app} [exception.type='char const*', from='raise_one', at='195-exceptions.cc:96']
 *     │   └── catch (dur) {app} [exception.type='char const*', in='attempt', at='195-exceptions.cc:105']
 *     ├── raise_again (from stack) {app}
 *     │   ├── raise_again (from stack) {app}
 *     │   │   ├── raise_one (from stack) {app}
 *     │   │   │   └── throw (dur) {app} [exception.type='std::runtime_error', exception.message='again', from='raise_one', at='195-exceptions.cc:98']
 *     │   │   ├── catch (dur) {app} [exception.type='std::runtime_error', in='raise_again', at='195-exceptions.cc:116']
 *     │   │   └── rethrow (dur) {app} [exception.type='std::runtime_error', exception.message='again', from='raise_again', at='195-exceptions.cc:118']
 *     │   ├── catch (dur) {app} [exception.type='std::runtime_error', in='raise_again', at='195-exceptions.cc:116']
 *     │   └── rethrow (dur) {app} [exception.type='std::runtime_error', exception.message='again', from='raise_again', at='195-exceptions.cc:118']
 *     └── catch (dur) {app} [exception.type='std::runtime_error', in='main', at='195-exceptions.cc:127']
 */
// clang-format on
#include <cstdio>
#include <exception>
#include <stdexcept>

struct Base {
    virtual ~Base() = default;
    int number = 1;
};
struct Derived : Base, std::runtime_error {
    Derived() : std::runtime_error("disk full") {
    }
};
struct Virtual : Base, virtual std::logic_error {
    Virtual() : std::logic_error("by a virtual base") {
    }
};
struct Own : std::exception {
    const char *what() const noexcept override {
        std::puts("what() was called");
        return "own";
    }
};
namespace {
struct Hidden : std::invalid_argument {
    Hidden() : std::invalid_argument("in no namespace") {
    }
};
} // namespace

#define FUNCTION extern "C" __attribute__((noinline)) void

FUNCTION raise_one(int n) {
    switch (n) {
    case 0:
        throw std::runtime_error("deep");
    case 1:
        throw Own();
    case 2:
        throw Derived();
    case 3:
        throw Virtual();
    case 4:
        throw Hidden();
    case 5:
        throw 42;
    case 6:
        throw "it's text";
    case 7:
        throw reinterpret_cast<const char *>(8);
    default:
        throw std::runtime_error("again");
    }
}

FUNCTION attempt(int n) {
    try {
        raise_one(n);
    } catch (...) {
        std::printf("caught %d\n", n);
    }
}

FUNCTION raise_again(int n) {
    try {
        if (n)
            raise_again(n - 1);
        else
            raise_one(-1);
    } catch (const std::exception &e) {
        std::printf("%d: %s\n", n, e.what());
        throw;
    }
}

int main() {
    for (int n = 0; n < 8; n++)
        attempt(n);
    try {
        raise_again(1);
    } catch (const std::runtime_error &) {
        std::puts("end");
    }
    return 0;
}
