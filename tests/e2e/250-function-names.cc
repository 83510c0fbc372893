/* Built by 250-function-names.sh: each function is called once, but for what is in the comments. */
#include <dlfcn.h>
#include <stdio.h>

#define KEPT __attribute__((noinline, used))

#ifdef PLUGIN
namespace plugin {
template <typename T> KEPT T twice(T value) {
    return value + value;
}
namespace {
KEPT int hidden(int n) {
    return n + 1;
}
} // namespace
} // namespace plugin

extern "C" KEPT int plugin_main(int n) {
    return plugin::twice(n) + plugin::hidden(n) + static_cast<int>(plugin::twice<long>(n));
}
#else

namespace game {
struct Actor {
    int place = 0;
    KEPT Actor() {
        place = 1;
    }
    KEPT void move(int by) {
        place += by;
    }
    KEPT bool operator<(const Actor &other) const {
        return place < other.place;
    }
};

template <typename T, int N> KEPT T scale(T value) {
    return value * N;
}

namespace {
KEPT int help(int n) {
    return n - 1;
}
} // namespace

KEPT int load(int n) {
    return help(n); /* by load and by main */
}
} // namespace game

/* What rustc makes of mycrate::work, with its hash. */
KEPT int work(int n) __asm__("_ZN7mycrate4work17h0123456789abcdefE");
KEPT int work(int n) {
    return n * 2;
}

int main(int count, char **arguments) {
    auto add = [](int a, int b) __attribute__((noinline)) {
        return a + b;
    };
    game::Actor first, second;
    first.move(3);
    int sum = game::scale<int, 3>(2) + static_cast<int>(game::scale<long, 4>(2)) + (first < second) + game::load(5);
    sum += game::help(7) + work(8) + add(1, 2);
    for (int i = 1; i < count; i++) { /* again and again: open, call, close */
        void *plugin = dlopen(arguments[i], RTLD_NOW);
        int (*plugin_main)(int) = plugin ? reinterpret_cast<int (*)(int)>(dlsym(plugin, "plugin_main")) : nullptr;
        sum += plugin_main ? plugin_main(i) : 1000;
        if (plugin)
            dlclose(plugin);
    }
    printf("sum %d\n", sum);
    return 0;
}
#endif
