/* dlsym(RTLD_DEFAULT) and dlsym(RTLD_NEXT) answer each object as without us, and what they find is hooked where it was
 * named: for the program, for objects opened later, and for those with RTLD_DEEPBIND. An object found so can be
 * unloaded again.
 * LIBRARY: libcalled.so
 * PLUGIN: plugin.so
 * PLUGIN: global.so
 * BUILD: gcc -O2 -fno-instrument-functions
 * BUILD: gcc -O1 -fno-instrument-functions -no-pie -fno-pie -fno-plt
 * ENV: TRACE_HOOKS=getppid,getsid,called_initial()=int,called_both()=int,called_late()=int,called_own()=int
 * CALLS: getppid 8
 * CALLS: getsid 1
 * CALLS: called_initial 4
 * CALLS: called_both 3
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#ifdef __aarch64__
#define OLDEST "GLIBC_2.17"
#else
#define OLDEST "GLIBC_2.2.5"
#endif

#define plugin 1
#define global 2

int called_initial(void);

#ifdef LIBRARY
int called_initial(void) {
    return 1;
}
int called_both(void) {
    return 2;
}
#elif defined(PLUGIN) && PLUGIN == global
int called_late(void) {
    return 3;
}
#else

static void use(const char *what, void *handle, const char *symbol) {
    int (*found)(void) = (int (*)(void))dlsym(handle, symbol);
    const char *error = found ? NULL : dlerror(), *words = error ? strrchr(error, ':') : NULL;
    int is_pid = strncmp(symbol, "getp", 4) == 0;
    if (found)
        printf("%s %s: %d\n", what, symbol, is_pid ? found() > 0 : found());
    else
        printf("%s %s:%s\n", what, symbol, words ? words : "?");
}

static void use_all(const char *what) {
    static const char *const symbols[] = {"getppid",     "called_initial", "called_both",
                                          "called_late", "called_own",     "none"};
    int (*parent)(void) = (int (*)(void))dlvsym(RTLD_NEXT, "getppid", OLDEST);
    printf("%s %d\n", what, parent && parent() > 0);
    for (unsigned i = 0; i < sizeof symbols / sizeof *symbols; i++) {
        use(what, RTLD_DEFAULT, symbols[i]);
        use(what, RTLD_NEXT, symbols[i]);
    }
}

#ifdef PLUGIN
int called_own(void) {
    return 4;
}
int called_both(void) {
    return 20;
}
void plugin_run(const char *what) {
    use_all(what);
}
#else
/* Before all libraries: what is next is libc's. */
pid_t getsid(pid_t pid) {
    return ((pid_t(*)(pid_t))dlsym(RTLD_NEXT, "getsid"))(pid);
}

static void run(const char *what, int flags) {
    void *late = dlopen("./global.so", RTLD_NOW | RTLD_GLOBAL), *opened = dlopen("./plugin.so", RTLD_NOW | flags);
    void (*run)(const char *) = opened ? (void (*)(const char *))dlsym(opened, "plugin_run") : NULL;
    if (!late || !run) {
        printf("%s\n", dlerror());
        return;
    }
    run(what);
    dlclose(opened);
    dlclose(late);
    printf("still there: %d %d\n", dlopen("./plugin.so", RTLD_NOW | RTLD_NOLOAD) != NULL,
           dlopen("./global.so", RTLD_NOW | RTLD_NOLOAD) != NULL);
}

int main(void) {
    printf("%d %d\n", getsid(0) > 0, called_initial());
    run("local", RTLD_LOCAL);
    run("deep", RTLD_LOCAL | RTLD_DEEPBIND);
    use_all("program");
    return 0;
}
#endif
#endif
