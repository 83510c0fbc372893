# A library that is preloaded behind ours and stands before `_exit` has its turn, as ThreadSanitizer's library must, which
# changes the status of a program that has raced.
. "$SOURCES/lib.sh"
cat >other.c <<'P'
#include <unistd.h>
void *dlsym(void *handle, const char *name);
#define STAND_BEFORE(name)                                                                                             \
    void name(int status) {                                                                                            \
        if (write(1, #name "\n", sizeof #name) > 0)                                                                    \
            ((void (*)(int))dlsym((void *)-1, #name))(status + 1);                                                     \
    }
STAND_BEFORE(_exit)
STAND_BEFORE(_Exit)
P
cat >program.c <<'P'
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>
int main(int count, char **arguments) {
    int status = 0;
    if (vfork() == 0)
        _exit(10);
    wait(&status);
    if (fork() == 0)
        _Exit(WEXITSTATUS(status) + 10);
    wait(&status);
    _exit(WEXITSTATUS(status) + 10);
}
P
gcc -w -fno-builtin -shared -fPIC other.c -o other.so && gcc -w program.c -o program || fail "cannot build"
LD_PRELOAD=$PWD/other.so ./program >expected
status=$?
expect "status untraced" 33 $status
for order in "$SHIM:$PWD/other.so" "$PWD/other.so:$SHIM"; do
    LD_PRELOAD=$order TRACE_QUIET=1 TRACE_OUTPUT=out TRACE_HOOKS=proc ./program >got
    expect "status with $order" $status $?
    cmp expected got || fail "$order: wanted $(tr '\n' ' ' <expected), got $(tr '\n' ' ' <got)"
    renders out
done
