# What `traceshim check` tells of programs with a sanitizer, an allocator or hooks of their own, against a run of them.
. "$SOURCES/lib.sh"
. "$SOURCES/check.sh"
for compiler in gcc clang; do
    for sanitizer in address:Address thread:Thread undefined:UndefinedBehavior leak:Leak; do
        CC=$compiler
        command -v $compiler >/dev/null || continue
        echo 'int main(void) { return 0; }' | $compiler -x c - -fsanitize=${sanitizer%:*} -o app 2>/dev/null || continue
        instrument programs/calls.c app -fsanitize=${sanitizer%:*}
        ./app >/dev/null 2>&1 || continue # ThreadSanitizer, where addresses are spread too widely
        foretold ./app "(${sanitizer#*:}Sanitizer|compiled with -finstrument-functions)"
        case $compiler-$sanitizer in
        gcc-address:*)
            expect_line found '^FAIL  AddressSanitizer ends the program where its runtime does not come first; set '
            ASAN_OPTIONS=verify_asan_link_order=0 foretold ./app '^ok    AddressSanitizer: ASAN_OPTIONS lets'
            # The other remedy, as it is told
            runtime=$(sed -n "s/.*LD_PRELOAD='\([^ ]*\) .*/\1/p" found)
            TRACE_OUTPUT=out "$TRACESHIM" check ./app >found
            runtime=$(sed -n "s/.*LD_PRELOAD='\([^ ]*\) .*/\1/p" found)
            rm -rf out
            LD_PRELOAD="$runtime $SHIM" TRACE_OUTPUT=out ./app >got 2>err || fail "the remedy: $(cat err)"
            expect "calls with the remedy" 2 "$(calls out inner)"
            # Or by itself; what the sanitizer finds is found, and options that are given hold
            rm -rf out
            "$TRACESHIM" run --output=out -- ./app >got 2>err || fail "traceshim run: $(cat err)"
            expect "calls with run" 2 "$(calls out inner)"
            rm -rf out
            echo '#include <stdlib.h>
                int main(int n, char **a) { char *p = malloc(8); p[7 + n] = 1; return p[6 + n]; }' |
                $compiler -w -x c - -fsanitize=address -o overflow || fail "cannot build"
            ASAN_OPTIONS=exitcode=41 "$TRACESHIM" run --output=out -- ./overflow 2>err
            expect "status after what the sanitizer found" 41 $?
            expect_line err 'heap-buffer-overflow'
            LD_PRELOAD=$runtime "$TRACESHIM" check ./app >found || fail "$(cat found)"
            expect_line found '^note  AddressSanitizer: LD_PRELOAD begins with its runtime'
            ;;
        *-address:* | *-thread:*) expect_line found "^ok    ${sanitizer#*:}Sanitizer works beside the library" ;;
        esac
    done
done

instrument programs/calls.c app
foretold ./app
grep -qE 'malloc|Sanitizer' found && fail "$(cat found)"
cat >malloc.c <<'C'
#include <stddef.h>
static char heap[1 << 20];
static size_t used;
void *malloc(size_t bytes) { used += (bytes + 15) / 16 * 16; return heap + used - (bytes + 15) / 16 * 16; }
void *calloc(size_t a, size_t b) { return malloc(a * b); }
void *realloc(void *p, size_t bytes) { char *n = malloc(bytes); for (size_t i = 0; p && i < bytes; i++) n[i] = ((char *)p)[i]; return n; }
void free(void *p) { (void)p; }
C
gcc -O1 -fno-builtin -fPIC -shared malloc.c -o libmine.so || fail "cannot build"
instrument programs/calls.c app -Wl,--no-as-needed ./libmine.so
foretold ./app '^ok    brings its own malloc \(libmine.so\)'

# In the words that the shim has for it
instrument 025-own-hooks.c app
TRACE_HOOKS=sprintf,printf foretold ./app '^note  the program brings its own __cyg_profile_func_enter: '
words=$(sed -n 's/^note  \(the program brings .*left to it\).*/\1/p' found)
grep -qF "traceshim: $words" ran.err || fail "other words: '$words' against $(cat ran.err)"
foretold ./app '^FAIL  nothing of it would be recorded'
