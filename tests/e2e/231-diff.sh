# diff: what became slower is first, with its change and how sure that is; what only one trace calls is named.
. "$SOURCES/lib.sh"
cat >d.c <<'C'
#include <unistd.h>
void slow(void) { usleep(WAIT); }
void same(void) {}
void EXTRA(void) {}
int main(void) {
    for (int i = 0; i < 10; i++) {
        slow();
        same();
    }
    EXTRA();
}
C
for side in "before 100" "after 20000"; do
    set -- $side
    mkdir "build-$1" # the names of a program that was rebuilt are gone
    gcc -w -finstrument-functions -DWAIT="$2" -DEXTRA="only_$1" d.c -o "build-$1/same-name" || fail "cannot build"
    TRACE_QUIET=1 TRACE_OUTPUT=$1 traced "build-$1/same-name"
done
"$TRACESHIM" diff before after >out 2>err
expect "status" 0 $?
expect_line out '^# A: before, 22 calls of 4 functions'
expect "what is first" "slow {same-name}" "$(awk '!/^#/ { print $11, $12; exit }' out)"
expect_line out '^\+[0-9.]+ms .* 10 +10 .* (<\.001|0\.[0-9]+)  slow '
expect_line out '^-.* gone  '
expect_line out '^\+.* new  only_after '
expect "limit" 1 "$("$TRACESHIM" diff --limit 1 before after | grep -vc '^#')"
"$TRACESHIM" diff before missing >out 2>err
expect "status of a missing trace" 1 $?
expect_one_line err
