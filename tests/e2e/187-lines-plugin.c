/*
 * For 187-lines-plugin.sh: two plugins that come to the same addresses one after the other, opened by path and by name,
 * and a program that is not compiled with coverage callbacks.
 */
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>

#ifdef PLUGIN
int run(int n);
int run(int n) {
    int sum = 0;
    for (int i = 0; i < n; i++)
        sum += i * PLUGIN; /* LINE body */
    return sum;
}
#else
static int (*at)(int n);

static void *open_and_run(const char *path, int n) {
    void *plugin = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    at = plugin ? (int (*)(int))dlsym(plugin, "run") : NULL;
    if (!at) {
        fprintf(stderr, "%s\n", dlerror());
        exit(1);
    }
    at(n);
    return plugin;
}

int main(void) {
    int same = 0;
    for (int i = 0; i < 3; i++) {
        void *plugin = open_and_run("./one.so", 100);
        int (*first)(int n) = at;
        dlclose(plugin);
        plugin = open_and_run("two.so", 7);
        same += first == at;
        dlclose(plugin);
    }
    printf("%d at the same address\n", same);
    return 0;
}
#endif
