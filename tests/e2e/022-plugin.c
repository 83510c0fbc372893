/* A plugin is found as without us: by absolute path, by relative path, by the caller's RUNPATH. Its constructor's calls
 * may be missed, its other calls not.
 * PLUGIN: plugin.so
 * BUILD: gcc -O0
 * BUILD: gcc -O2 -fno-plt
 * CALLS: plugin_run 3
 * CALLS: plugin_inner 3
 * PARENT: plugin_inner < plugin_run
 * PARENT: plugin_run < use
 * INFO: unfinished: 0
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>

#ifdef PLUGIN
__attribute__((noinline)) static int plugin_inner(int n) {
    return n + 1;
}

int plugin_run(int n) {
    return plugin_inner(n) * 2;
}
#else
__attribute__((noinline)) static int use(const char *path) {
    void *plugin = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    int (*run)(int) = plugin != NULL ? (int (*)(int))dlsym(plugin, "plugin_run") : NULL;
    if (run == NULL) {
        printf("no plugin: %s\n", dlerror());
        return 0;
    }
    int result = run(1);
    dlclose(plugin);
    return result;
}

int main(void) {
    char absolute[PATH_MAX];
    int sum = use(realpath("plugin.so", absolute));
    sum += use("./plugin.so");
    sum += use("plugin.so");
    printf("sum %d\n", sum);
    return 0;
}
#endif
