/* Calls of objects that were opened later, RTLD_LOCAL and RTLD_DEEPBIND; of functions that dlsym found, and of
 * those in a table of pointers in constant data: all are seen, since they were named.
 * LIBRARY: libcalled.so
 * PLUGIN: plugin.so
 * BUILD: gcc -O2 -fno-instrument-functions
 * BUILD: gcc -O2 -fno-instrument-functions -fno-plt -Wl,-z,now
 * BUILD: gcc -O1 -fno-instrument-functions -no-pie -fno-pie
 * BUILD: gcc -O1 -fno-instrument-functions -no-pie -fno-pie -fno-plt
 * ENV: TRACE_HOOKS=called_direct,called_found(n:int)=int,called_table,plugin_run,called_deep,dl
 * CALLS: called_direct 19
 * CALLS: called_found 27
 * CALLS: called_table 9
 * CALLS: called_deep 3
 * CALLS: plugin_run 3
 * CALLS: dlopen 4
 * CALLS: dlsym 9
 * CALLS: dlclose 4
 * PARENT: called_table < plugin_run
 * INFO: unfinished: 0
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdio.h>

int called_direct(int n);
int called_found(int n);
int called_table(int n);
int called_deep(int n);

#ifdef LIBRARY
int called_direct(int n) {
    return n + 1;
}
int called_found(int n) {
    return n + 2;
}
int called_table(int n) {
    return n + 3;
}
int called_deep(int n) {
    return n + 1000;
}
#elif defined(PLUGIN)
int called_deep(int n) {
    return n + 4;
}
int (*const table[])(int) = {called_table, called_direct, called_found};

int plugin_run(void *program, int n) {
    int (*found)(int) = (int (*)(int))dlsym(program, "called_found");
    int sum = called_deep(n);
    for (int i = 0; i < 3; i++) {
        sum += called_direct(i) + found(i) + called_found(i);
        for (int (*const *at)(int) = table; at < table + 3; at++)
            sum += (*at)(i);
    }
    return sum;
}
#else
static int use(void *program, int flags) {
    void *plugin = dlopen("./plugin.so", RTLD_NOW | flags);
    int (*run)(void *, int) = plugin ? (int (*)(void *, int))dlsym(plugin, "plugin_run") : NULL;
    if (!run) {
        printf("no plugin: %s\n", dlerror());
        return 0;
    }
    int result = run(program, 1);
    printf("plugin %d\n", result);
    dlclose(plugin);
    return result;
}

int main(void) {
    void *self = dlopen(NULL, RTLD_NOW);
    int sum = called_direct(1);
    sum += use(self, RTLD_LOCAL) + use(self, RTLD_LOCAL | RTLD_DEEPBIND) + use(self, RTLD_GLOBAL);
    int (*direct)(int) = (int (*)(int))dlsym(RTLD_DEFAULT, "called_direct");
    if (!dlsym(RTLD_DEFAULT, "no_such_function"))
        printf("%s\n", dlerror());
    printf("sum %d, the same function: %d\n", sum, direct == dlsym(self, "called_direct"));
    dlclose(self);
    printf("version: %d\n", dlvsym(RTLD_DEFAULT, "printf", "GLIBC_2.2.5") != NULL);
    return 0;
}
#endif
