# Exceptions, handlers, executed lines, descriptors and threads are not recorded in a pause either, at any level, and the
# trace does not grow; recording goes on in a ring as in a trace that stops, and where system calls are forbidden.
. "$SOURCES/lib.sh"
cat >program.cc <<'P'
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <unistd.h>
static volatile int sum;
__attribute__((noinline)) void seen() {
    sum += 1;
}
__attribute__((noinline)) void thrower(int much) {
    if (much)
        throw much;
}
__attribute__((noinline)) void caught(int much) {
    try {
        thrower(much);
    } catch (int number) {
        sum += number;
    }
}
static void on_signal(int) {
    seen();
}
static void *thread(void *) {
    seen();
    return nullptr;
}
__attribute__((noinline)) void everything(int times) {
    pthread_t other;
    for (int i = 0; i < times; i++) {
        seen();
        caught(i % 2);
        raise(SIGURG);
        close(open("/dev/null", O_RDONLY));
    }
    pthread_create(&other, nullptr, thread, nullptr);
    pthread_join(other, nullptr);
}
int main() {
    signal(SIGURG, on_signal);
    everything(10);
    raise(SIGWINCH);
    everything(5000);
    raise(SIGWINCH);
    everything(10);
    return 0;
}
P
g++ -O1 -g -pthread -finstrument-functions -fsanitize-coverage=trace-pc -w program.cc -o program -L"${SHIM%/*}" -ltraceshim ||
    fail "cannot build"
export LD_LIBRARY_PATH=${SHIM%/*} TRACE_SIGNAL=WINCH TRACE_FORMAT=none TRACE_HOOKS=io
for level in 1 2 3; do
    rm -rf out
    full=$([ $level = 2 ] && echo stop || echo ring)
    TRACE_LEVEL=$level TRACE_FULL=$full TRACE_MAX_SIZE=16M TRACE_OUTPUT=out traced ./program || fail "status $?"
    expect "level $level: everything" 2 "$(calls out everything)"
    expect "level $level: seen" 42 "$(calls out seen)"
    expect "level $level: open" 20 "$(calls out open)"
    "$TRACESHIM" info out >info.out
    for key in 'lost: 0 events' 'dropped: 0 calls' 'misnested: 0' 'damaged: 0'; do
        expect_line info.out "^$key"
    done
    [ "$(du -k out/*.trace | cut -f1)" -lt 400 ] || fail "level $level: the trace has $(du -k out/*.trace)"
    [ $level = 1 ] || expect "level $level: line of seen" 42 \
        "$("$TRACESHIM" lines out | awk '/sum \+= 1;/ { print $1 }' | tr -d ,:)"
done
expect_line info.out '^exceptions: 10 thrown, 0 rethrown, 10 caught'
expect_line info.out '^signals: 20 handled'
renders out
expect_line tree.out 'recording paused'
expect_line tree.out 'recording resumed'

cat >strict.c <<'P'
#include <linux/seccomp.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>
static int commands[2], answers[2];
__attribute__((noinline)) void seen(void) {
    __asm__("");
}
__attribute__((noinline)) void unseen(void) {
    __asm__("");
}
__attribute__((noinline)) void next(void) {
    char byte = 0;
    write(answers[1], &byte, 1);
    read(commands[0], &byte, 1);
}
int main(void) {
    int status;
    char byte = 0;
    pipe(commands);
    pipe(answers);
    pid_t child = fork();
    if (child == 0) {
        seen();
        prctl(PR_SET_SECCOMP, SECCOMP_MODE_STRICT);
        seen();
        next();
        for (int i = 0; i < 1000; i++)
            unseen();
        next();
        seen();
        syscall(SYS_exit, 0);
    }
    for (int i = 0; i < 2; i++) {
        read(answers[0], &byte, 1);
        kill(child, SIGWINCH);
        write(commands[1], &byte, 1);
    }
    waitpid(child, &status, 0);
    return status != 0;
}
P
gcc -g -finstrument-functions -w strict.c -o strict || fail "cannot build"
TRACE_HOOKS='' TRACE_OUTPUT=strict.out traced ./strict || skip "strict mode is not to be had here"
expect "strict: unseen" 0 "$(calls strict.out unseen)"
expect "strict: seen" 3 "$(calls strict.out seen)"
expect "strict: lost" 0 "$(info strict.out lost)"
