# Programs that the loader does not add the recorder to: they run as they are, however they were executed, and stand in
# the trace of who executed them, with the reason. Programs that cannot be executed at all do not.
. "$SOURCES/lib.sh"
cat >static.c <<'C'
int main(void) { return 3; }
C
gcc -static static.c -o static || skip "no static libc is here"
printf '#!%s argument\n' "$PWD/static" >script
head -c 200 /dev/zero | sed '1s/^......./\x7fELF\x01\x01\x01/' >other
cp /bin/true secure
chmod 4755 secure
chmod +x script other
cat >execute.c <<'C'
#include <spawn.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

static int wait_for(pid_t child) {
    int status = -1;
    waitpid(child, &status, 0);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -status;
}

static int execute(char way, char *path) {
    char *arguments[] = {path, NULL};
    pid_t child = -1;
    if (way == 's' && posix_spawnp(&child, path, NULL, NULL, arguments, environ) != 0)
        return -1;
    if (way == 'v' && (child = vfork()) == 0) {
        execv("/nonexistent/before", arguments);
        execvp(path, arguments);
        _exit(9);
    }
    if (way == 'f' && (child = fork()) == 0) {
        execv(path, arguments);
        _exit(9);
    }
    return wait_for(child);
}

int main(int count, char **arguments) {
    for (int i = 2; i < count; i++)
        for (const char *way = arguments[1]; *way != '\0'; way++)
            printf("%s %c %d\n", strrchr(arguments[i], '/'), *way, execute(*way, arguments[i]));
    return 0;
}
C
gcc -g -finstrument-functions -w execute.c -o execute || fail "cannot build"

./execute svf ./static "$PWD/script" /nonexistent/x /bin/true >wanted
TRACE_OUTPUT=out traced ./execute svf ./static "$PWD/script" /nonexistent/x /bin/true >got 2>err
expect "status" 0 $?
cmp wanted got || fail "standard output is $(cat got)"
"$TRACESHIM" info out >info.out || fail "info failed"
"$TRACESHIM" tree --calls out >tree.out || fail "tree failed"
expect "programs that were not recorded" 6 "$(grep -c '^not recorded: process [0-9]*, .*: statically linked$' info.out)"
expect "of them in the tree" 6 "$(grep -cE "── (static|script) .*not_recorded='statically linked'" tree.out)"
expect "of them in the tree under their own name" 3 "$(grep -cE "── static \(unf.*not_recorded=" tree.out)"
expect "recorded programs" 3 "$(grep -c '^process [0-9]*: true, ' info.out)"
expect "calls of execute" 12 "$(calls out execute)"
check_chrome out

./execute f ./other >wanted
TRACE_OUTPUT=class traced ./execute f ./other >got 2>err
cmp wanted got || fail "standard output with another class is $(cat got)"
grep -q ' 9$' wanted || { "$TRACESHIM" info class | grep -q 'other: another ELF class' || fail "the class is not told"; }

# Set-user-id means something only to another user.
chmod 777 .
drop="setpriv --reuid 65534 --regid 65534 --clear-groups"
$drop true 2>/dev/null || skip "the rest passed; another user is refused here"
TRACE_OUTPUT=secure.out $drop env LD_PRELOAD="$SHIM" ./execute sv ./secure >got 2>err
expect "set-user-id programs that were not recorded" 2 \
    "$("$TRACESHIM" info secure.out | grep -c '/secure: set-user-id or set-group-id$')"
