# Level 2, callers that are hooked themselves: the stub between them is nobody's code, and a hooked function does not
# stand in its own call as a frame. Row C17.
. "$SOURCES/lib.sh"
cat >library.c <<'P'
#include <unistd.h>
int inside(const char *path) { return access(path, F_OK) + 1; }
int passed_on(const char *path) { return access(path, F_OK); }
int through(const char *path) { return inside(path) + 2; }
P
cat >program.c <<'P'
int inside(const char *), passed_on(const char *), through(const char *);
static __attribute__((noinline, noipa)) int caller(void) {
    return inside("/dev/null") + passed_on("/dev/null") + through("/dev/null");
}
int main(void) { return caller() == 4 ? 0 : 1; }
P
gcc -g -O2 -fPIC -shared library.c -o libsome.so || fail "cannot build"
gcc -g -O1 program.c -o program -L. -lsome -Wl,-rpath,"$PWD" || fail "cannot build"
TRACE_LEVEL=2 TRACE_HOOKS='inside,passed_on,through,access' TRACE_OUTPUT=out TRACE_FORMAT=none traced ./program || fail "status $?"
"$TRACESHIM" tree --calls out >tree || fail "no tree"
sed 's/([0-9.]* [nµm]*s)/(dur)/' tree >got
cat >wanted <<'T'
└── main (from stack) {program}
    └── caller (from stack) {program}
        ├── inside (dur) {libsome.so} [at='program.c:3']
        │   └── access (dur) {libc.so.6} [path='/dev/null', mode=F_OK, at='library.c:2']
        ├── passed_on (dur) {libsome.so} [at='program.c:3']
        │   └── access (dur) {libc.so.6} [path='/dev/null', mode=F_OK]
        └── through (dur) {libsome.so} [at='program.c:3']
            └── inside (dur) {libsome.so} [at='library.c:4']
                └── access (dur) {libc.so.6} [path='/dev/null', mode=F_OK, at='library.c:2']
T
diff wanted got || fail "another tree"
