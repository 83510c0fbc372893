/* An object in a namespace of its own runs as without us; its calls are not ours to see, and `info` says so. What is
 * opened into the program's namespace by the same call is seen; so is what dlvsym finds.
 * PLUGIN: plugin.so
 * BUILD: gcc -O2 -fno-instrument-functions
 * BUILD: gcc -O1 -fno-instrument-functions -no-pie -fno-pie -fno-plt
 * ENV: TRACE_HOOKS=called_found(n:int)=int,called_direct,getppid,dl
 * CALLS: called_found 2
 * CALLS: called_direct 1
 * CALLS: getppid 3
 * CALLS: dlmopen 4
 * CALLS: dlvsym 3
 * INFO: not seen: inside ./plugin.so, and what it needs: dlmopen gave it its own namespace
 * INFO: not seen: inside plugin.so (if it was found), and what it needs: dlmopen gave it its own namespace
 * INFO: unfinished: 0
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdio.h>
#include <unistd.h>

#ifdef __aarch64__
#define OLDEST "GLIBC_2.17"
#else
#define OLDEST "GLIBC_2.2.5"
#endif

#ifdef PLUGIN
int called_found(int n) {
    return n + 2;
}

int called_direct(int n) {
    return n + 1;
}

int plugin_run(int n) {
    return called_direct(n) + called_found(n) + (getppid() > 0);
}
#else
static int run(void *plugin, int n) {
    int (*run)(int) = plugin ? (int (*)(int))dlsym(plugin, "plugin_run") : NULL;
    if (!run)
        printf("no plugin: %s\n", dlerror());
    return run ? run(n) : 0;
}

int main(void) {
    void *own = dlmopen(LM_ID_NEWLM, "./plugin.so", RTLD_NOW),
         *own_by_name = dlmopen(LM_ID_NEWLM, "plugin.so", RTLD_NOW);
    void *base = dlmopen(LM_ID_BASE, "./plugin.so", RTLD_NOW);
    printf("own %d\n", run(own, 1));
    printf("own, by the program's RUNPATH %d\n", run(own_by_name, 2));
    printf("in the program's %d\n", run(base, 3));
    printf("%s\n", dlmopen(LM_ID_NEWLM, "./missing.so", RTLD_NOW) ? "?" : dlerror());
    pid_t (*parent)(void) = (pid_t(*)(void))dlvsym(RTLD_DEFAULT, "getppid", OLDEST);
    printf("%d\n", parent && parent() == getppid());
    printf("%d\n", dlvsym(base, "called_found", "NONE") == NULL);
    printf("%d\n", dlvsym(RTLD_NEXT, "printf", OLDEST) != NULL);
    int (*found)(int) = (int (*)(int))dlsym(base, "called_found");
    printf("%d\n", found(4));
    dlclose(own);
    dlclose(own_by_name);
    dlclose(base);
    return 0;
}
#endif
