/* Plugins that are loaded one after another at the same address keep their own names, and are unloaded as without us.
 * PLUGIN: red.so
 * PLUGIN: green.so
 * PLUGIN: blue.so
 * BUILD: gcc -O1 -rdynamic
 * CALLS: work_red 20
 * CALLS: work_green 20
 * CALLS: work_blue 20
 * INFO: unfinished: 0
 */
#include <dlfcn.h>
#include <stdio.h>

#ifdef PLUGIN
#define JOIN(a, b) a##b
#define NAME(a, b) JOIN(a, b)

extern int unloaded;

__attribute__((noinline)) int NAME(work_, PLUGIN)(int n) {
    return n + 1;
}

int work(int n) {
    return NAME(work_, PLUGIN)(n);
}

__attribute__((destructor, no_instrument_function)) static void leave(void) {
    unloaded++;
}
#else
int unloaded;

int main(void) {
    static const char *const plugins[] = {"./red.so", "./green.so", "./blue.so"};
    int sum = 0;
    for (int i = 0; i < 60; i++) {
        void *plugin = dlopen(plugins[i % 3], RTLD_NOW);
        int (*work)(int) = plugin != NULL ? (int (*)(int))dlsym(plugin, "work") : NULL;
        if (work == NULL)
            return 1;
        sum += work(i);
        dlclose(plugin);
    }
    printf("sum %d, unloaded %d times\n", sum, unloaded);
    return 0;
}
#endif
