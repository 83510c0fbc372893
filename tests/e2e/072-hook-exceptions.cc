/* Exceptions through hooked calls: caught as without us, the calls that they leave closed as failed, whatever is called
 * in handlers and while destructors run belongs where it was called. Rows A14, C19.
 * LIBRARY: libthrow.so
 * BUILD: g++ -O2 -fno-instrument-functions
 * BUILD: g++ -O0 -fno-instrument-functions -fno-plt
 * BUILD: g++ -O2 -fno-instrument-functions -no-pie -fno-pie -fno-plt -Wl,-z,now
 * ENV: TRACE_HOOKS=library_*
 * CALLS: library_inner 11
 * CALLS: library_outer 4
 * TREE:
 * ├── library_outer (dur) {libthrow.so} [ERROR] [error='exception', unwound=True]
 * │   ├── library_inner (dur) {libthrow.so}
 * │   └── library_inner (dur) {libthrow.so} [ERROR] [error='exception', unwound=True]
 * ├── library_after (dur) {libthrow.so}
 * ├── library_catch (dur) {libthrow.so}
 * │   ├── library_inner (dur) {libthrow.so} [ERROR] [error='exception', unwound=True]
 * │   └── library_after (dur) {libthrow.so}
 * ├── library_after (dur) {libthrow.so}
 * ├── library_wide (dur) {libthrow.so} [ERROR] [error='exception', unwound=True]
 * │   └── library_outer (dur) {libthrow.so} [ERROR] [error='exception', unwound=True]
 * │       ├── library_inner (dur) {libthrow.so}
 * │       └── library_inner (dur) {libthrow.so} [ERROR] [error='exception', unwound=True]
 * ├── library_after (dur) {libthrow.so}
 * ├── library_rethrow (dur) {libthrow.so} [ERROR] [error='exception', unwound=True]
 * │   ├── library_inner (dur) {libthrow.so} [ERROR] [error='exception', unwound=True]
 * │   └── library_after (dur) {libthrow.so}
 * ├── library_after (dur) {libthrow.so}
 * ├── library_unwind (dur) {libthrow.so} [ERROR] [error='exception', unwound=True]
 * │   ├── library_inner (dur) {libthrow.so} [ERROR] [error='exception', unwound=True]
 * │   └── library_after (dur) {libthrow.so}
 * ├── library_after (dur) {libthrow.so}
 * ├── library_outer (dur) {libthrow.so}
 * │   ├── library_inner (dur) {libthrow.so}
 * │   └── library_inner (dur) {libthrow.so}
 * ├── library_outer (dur) {libthrow.so} [ERROR] [error='exception', unwound=True]
 * │   ├── library_inner (dur) {libthrow.so}
 * │   └── library_inner (dur) {libthrow.so} [ERROR] [error='exception', unwound=True]
 * └── library_after (dur) {libthrow.so}
 */
#include <cstdio>
#include <stdexcept>
#include <string>

struct wide {
    char bytes[300];
};

extern "C" {
int library_inner(int n);
int library_outer(int n);
int library_catch(int n);
int library_rethrow(int n);
int library_unwind(int n);
int library_wide(int n, wide w, long double x);
void library_after(const char *what);
}

#ifdef LIBRARY
int library_inner(int n) {
    if (n > 1)
        throw std::runtime_error("inner " + std::to_string(n));
    return n;
}
int library_outer(int n) {
    return library_inner(n - 1) + library_inner(n);
}
int library_catch(int n) {
    try {
        return library_inner(n);
    } catch (const std::exception &e) {
        library_after(e.what());
    }
    return -1;
}
int library_rethrow(int n) {
    try {
        return library_inner(n);
    } catch (...) {
        library_after("rethrow");
        throw;
    }
}
namespace {
struct cleaner {
    ~cleaner() {
        library_after("destructor");
    }
};
} // namespace
int library_unwind(int n) {
    cleaner c;
    return library_inner(n) + 1;
}
int library_wide(int n, wide w, long double x) {
    return library_outer(n + w.bytes[299] - 9) + static_cast<int>(x);
}
void library_after(const char *what) {
    std::printf("after %s\n", what);
}
#else
template <typename F> static void use(F call) {
    try {
        std::printf("result %d\n", call());
    } catch (const std::runtime_error &e) {
        library_after(e.what());
    }
}

int main() {
    wide w = {};
    w.bytes[299] = 9;
    use([] { return library_outer(2); });
    use([] { return library_catch(2); });
    library_after("catch");
    use([&w] { return library_wide(2, w, 3.5L); });
    use([] { return library_rethrow(2); });
    use([] { return library_unwind(2); });
    use([] { return library_outer(1); });
    use([] { return library_outer(2); });
    return 0;
}
#endif
