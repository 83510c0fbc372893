# Under valgrind, which refuses the call by which the trace's mapping grows, everything is recorded, and it finds nothing
# to complain of.
. "$SOURCES/lib.sh"
command -v valgrind >/dev/null || skip "no valgrind on this machine"

cat >program.c <<'P'
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

__attribute__((noinline)) static int leaf(int value) {
    char *text = malloc(32);
    sprintf(text, "%d", value);
    value += text[0];
    free(text);
    return value;
}

static void *body(void *unused) {
    for (int i = 0; i < 1000; i++)
        leaf(i);
    return unused;
}

int main(void) {
    pthread_t thread;
    for (int i = 0; i < 5000; i++)
        leaf(i);
    pthread_create(&thread, NULL, body, NULL);
    pthread_join(thread, NULL);
    fflush(NULL);
    pid_t child = fork();
    if (child == 0) {
        leaf(1);
        _exit(leaf(2) > 0);
    }
    waitpid(child, NULL, 0);
    puts("done");
    return 7;
}
P
gcc -g -finstrument-functions -pthread -w program.c -o program || fail "cannot build"
timeout 60 valgrind -q --error-exitcode=99 ./program >bare.out 2>bare.err || [ $? = 7 ] || skip "this valgrind does not work"
TRACE_OUTPUT=out TRACE_FORMAT=none traced timeout 60 valgrind -q --error-exitcode=99 ./program >out.out 2>out.err
expect status 7 $?
expect output "$(cat bare.out)" "$(cat out.out)"
expect messages "$(cat bare.err)" "$(cat out.err)"
expect "calls of leaf" 6002 "$(calls out leaf)"
expect "lost events" 0 "$(info out lost)"
expect misnested 0 "$(info out misnested)"
renders out
