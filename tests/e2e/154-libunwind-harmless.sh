# libunwind asks whether memory is there by a pipe that it keeps, and says so in errno. The program's descriptors, also
# those that it opens once it has closed all, and its errno are its own all the same.
. "$SOURCES/lib.sh"
ldconfig -p | grep -q 'libunwind\.so\.8' || skip "libunwind is not installed"
cat >bare.c <<'P'
#include <stdlib.h>
/* Code without unwind tables, each function another call site: libunwind has to get over it. */
#define BARE(n) __attribute__((noinline)) int bare##n(void) { int r = getenv("NONE") == NULL; __asm__ volatile(""); return r + n; }
BARE(0) BARE(1) BARE(2) BARE(3) BARE(4) BARE(5) BARE(6) BARE(7)
int (*const bare[8])(void) = {bare0, bare1, bare2, bare3, bare4, bare5, bare6, bare7};
P
cat >program.c <<'P'
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>
extern int (*const bare[8])(void);
static int at_start;
__attribute__((constructor)) static void look(void) { at_start = errno; }
int main(void) {
    const char *message = dlerror();
    int kept = 1, open_ones = 0, flags[6] = {O_RDWR, O_RDONLY, O_WRONLY, O_RDWR, O_RDONLY, O_WRONLY};
    for (int fd = 3; fd < 1024; fd++)
        open_ones += fcntl(fd, F_GETFD) >= 0;
    printf("errno %d, dlerror %s, descriptors %d\n", at_start, message ? message : "none", open_ones);
    closefrom(3);
    for (int i = 0; i < 6; i++) {
        char name[] = "data0";
        name[4] += i;
        int fd = open(name, O_CREAT | O_RDWR, 0600);
        if (write(fd, "content", 7) != 7)
            return 1;
        close(fd);
        open(name, flags[i]);
    }
    for (int i = 0; i < 800; i++) {
        errno = i % 2 ? EINTR : 77;
        kept &= bare[i % 8]() == 1 + i % 8 && errno == (i % 2 ? EINTR : 77);
    }
    printf("errno %s\n", kept ? "kept" : "changed");
    for (int fd = 3; fd < 9; fd++)
        printf("%d: open %d, at %ld, of %ld\n", fd, fcntl(fd, F_GETFD), (long)lseek(fd, 0, SEEK_CUR),
               (long)lseek(fd, 0, SEEK_END));
    return 0;
}
P
gcc -g -O1 -fno-asynchronous-unwind-tables -fno-omit-frame-pointer -c bare.c || fail "cannot build"
gcc -g -O1 program.c bare.o -o program || fail "cannot build"
./program >wanted || fail "status without the library"
for level in 1 2 3; do
    TRACE_LEVEL=$level TRACE_HOOKS=getenv TRACE_FORMAT=none TRACE_OUTPUT=out$level traced ./program >stdout 2>err || fail "status"
    expect "standard output at level $level" "$(cat wanted)" "$(cat stdout)"
    expect "standard error at level $level" "" "$(cat err)"
done
"$TRACESHIM" info out2 >info.out || fail "info"
expect_line info.out '^caller stacks: .* [1-9][0-9]* frames by libunwind'
