/* Exceptions through gcc's frames and clang's, nested, rethrown, out of a plugin and through qsort: 199-throw-storm.sh
 * builds it in parts. argv: rounds. */
#include <cstdio>
#include <cstdlib>
#include <stdexcept>

#define FUNCTION extern "C" __attribute__((noinline)) int

#if defined(PLUGIN)
struct PluginError : std::runtime_error {
    explicit PluginError(const char *text) : std::runtime_error(text) {
    }
};
FUNCTION plugin_throw(int n) {
    if (n >= 0)
        throw PluginError("from the plugin");
    return n;
}
#elif defined(OTHER)
FUNCTION other_inner(int (*call)(int), int n) {
    return call(n) + 1;
}
/* Frames of another compiler; a cleanup on the way. */
struct Cleanup {
    int *count;
    ~Cleanup() {
        ++*count;
    }
};
FUNCTION other_outer(int (*call)(int), int n, int *cleaned) {
    Cleanup cleanup{cleaned};
    return other_inner(call, n) + 1;
}
#else
#include <dlfcn.h>

FUNCTION other_outer(int (*call)(int), int n, int *cleaned);

static int (*plugin_throw)(int);
static int cleaned, caught, nested;

FUNCTION thrower(int n) {
    throw std::out_of_range(n % 2 ? "odd" : "even");
}
/* Catches what it calls, throws on. */
FUNCTION rethrower(int n) {
    try {
        return thrower(n);
    } catch (const std::logic_error &) {
        nested++;
        throw;
    }
}
/* Throws another one while the first is handled. */
FUNCTION replacer(int n) {
    try {
        return thrower(n);
    } catch (...) {
        throw 7;
    }
}
FUNCTION caller_of_plugin(int n) {
    return plugin_throw(n) + 1;
}
static int compare(const void *left, const void *right) {
    return thrower(*static_cast<const int *>(left) + *static_cast<const int *>(right));
}
FUNCTION sorter(int n) {
    int numbers[2] = {n, 1};
    std::qsort(numbers, 2, sizeof *numbers, compare);
    return 0;
}

__attribute__((noinline)) static void attempt(int (*call)(int), int n) {
    try {
        other_outer(call, n, &cleaned);
    } catch (...) {
        caught++;
    }
}

int main(int count, char **arguments) {
    int rounds = count > 1 ? std::atoi(arguments[1]) : 1;
    void *plugin = dlopen("./plugin.so", RTLD_NOW | RTLD_LOCAL);
    plugin_throw = plugin ? reinterpret_cast<int (*)(int)>(dlsym(plugin, "plugin_throw")) : nullptr;
    if (!plugin_throw)
        return 1;
    for (int n = 0; n < rounds; n++) {
        attempt(thrower, n);
        attempt(rethrower, n);
        attempt(replacer, n);
        attempt(caller_of_plugin, n);
        attempt(sorter, n);
    }
    std::printf("caught %d, cleaned %d, nested %d\n", caught, cleaned, nested);
    return 0;
}
#endif
