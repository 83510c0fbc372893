# A program may have a `uname` or an `on_exit` of its own, and another library may stand before any function of libc: the
# library calls libc's, and what libunwind calls at level 2 is libc's too. Neither is called by anyone but the program.
. "$SOURCES/lib.sh"
NAMES="dirfd dl_iterate_phdr dladdr dladdr1 dlerror dlinfo fflush_unlocked fileno_unlocked ftrylockfile funlockfile
    getauxval getrlimit gnu_get_libc_version on_exit pthread_attr_destroy pthread_attr_getstacksize pthread_attr_init
    pthread_key_create pthread_self pthread_setspecific pthread_testcancel sysconf sysinfo uname mmap mincore
    sigprocmask pthread_mutex_lock"
{
    echo 'long write(int fd, const void *from, unsigned long bytes);'
    echo 'static int ours(int argument, const char *name, unsigned long bytes) { write(1, name, bytes); return argument + 1; }'
    for name in $NAMES; do echo "int $name(int n) { return ours(n, \"$name\\n\", sizeof \"$name\"); }"; done
    echo 'int main(void) { int sum = 0;'
    for name in $NAMES; do echo "sum += $name(1);"; done
    echo 'return sum; }'
} >names.c
gcc -w -fno-builtin -finstrument-functions names.c -o names || fail "cannot build"
./names >expected
status=$?
expect "names of the program's own" $(($(echo $NAMES | wc -w) * 2)) $status
for level in 0 1 2 3; do
    TRACE_LEVEL=$level TRACE_QUIET=1 TRACE_OUTPUT=out-$level traced ./names >got
    expect "status at level $level" $status $?
    cmp expected got || fail "level $level: others call the program's functions: $(sort got | uniq -d | head -n 3)"
    [ $level = 0 ] || expect "calls of uname at level $level" 1 "$(calls out-$level uname)"
done

# A variable of the program's that has a name of libc's.
cat >variable.c <<'P'
void _exit(int status);
int environ = 1, execv(const char *path, char **arguments), vfork(void), wait(int *status);
int main(int count, char **arguments) {
    char *again[] = {"again", "again", 0};
    int status = 0;
    if (count > 1)
        return 6;
    if (vfork() == 0) {
        execv("/proc/self/exe", again);
        _exit(environ);
    }
    wait(&status);
    return status >> 8;
}
P
gcc -w -fno-builtin variable.c -o variable || fail "cannot build"
for level in 0 1; do
    TRACE_LEVEL=$level TRACE_QUIET=1 TRACE_OUTPUT=out-variable traced ./variable
    expect "status of a program with its own environ at level $level" 6 $?
done

# Nor do the library's functions, which stand before libc's, lead to each other by name.
cat >ends.c <<'P'
int puts(const char *text);
int fflush(void *stream);
void *signal(int number, void *handler), *ssignal(int number, void *handler), *sysv_signal(int number, void *handler);
void _Exit(int status);
int sigaction(int number) { return puts("sigaction"); }
void _exit(int status) { puts("_exit"); }
int main(void) {
    int left = signal(15, (void *)1) == (void *)0 && ssignal(15, (void *)0) == (void *)1 && !sysv_signal(15, (void *)0);
    fflush(0);
    _Exit(4 + left);
}
P
gcc -w -fno-builtin ends.c -o ends || fail "cannot build"
TRACE_QUIET=1 TRACE_OUTPUT=out-ends traced timeout 10 ./ends >got
expect "status of a program with its own sigaction" 5 $?
expect "calls of its functions" "" "$(cat got)"

cat >other.c <<'P'
#include <unistd.h>
void *dlsym(void *handle, const char *name);
#define RTLD_NEXT ((void *)-1)
#define STAND_BEFORE(result, name, parameters, arguments)                                                              \
    result name parameters {                                                                                           \
        if (write(1, #name "\n", sizeof #name) < 0)                                                                    \
            _exit(1);                                                                                                  \
        return ((result(*) parameters)dlsym(RTLD_NEXT, #name))arguments;                                               \
    }
STAND_BEFORE(void *, dlopen, (const char *name, int flags), (name, flags))
STAND_BEFORE(int, dladdr1, (const void *at, void *info, void **extra, int flags), (at, info, extra, flags))
STAND_BEFORE(const char *, gnu_get_libc_version, (void), ())
STAND_BEFORE(long, sysconf, (int name), (name))
STAND_BEFORE(int, dl_iterate_phdr, (int (*visit)(), void *context), (visit, context))
P
echo 'int main(void) { return 3; }' >program.c
gcc -w -shared -fPIC other.c -o other.so && gcc program.c -o program || fail "cannot build"
for order in "$SHIM:$PWD/other.so" "$PWD/other.so:$SHIM"; do
    LD_PRELOAD=$order TRACE_LEVEL=2 TRACE_QUIET=1 TRACE_OUTPUT=out-other ./program >got
    expect "status with another library" 3 $?
    expect "calls that another library saw" "" "$(cat got)"
done
