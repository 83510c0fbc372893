# A program that was rebuilt, or is gone, keeps its names in what was rendered before: `tree`, `report` and `diff` of the old
# directory show them without a complaint; a file of names that is damaged or not ours is not used, and told in one line.
. "$SOURCES/lib.sh"
cat >app.c <<'C'
#include <unistd.h>
#ifdef SECOND
void added(void) {}
void more(void) { added(); }
#endif
void slow(void) { usleep(WAIT); }
void same(void) {}
int main(void) {
    for (int i = 0; i < 10; i++) {
        slow();
        same();
    }
#ifdef SECOND
    more();
#endif
}
C
build() {
    gcc -w -g -finstrument-functions "$@" app.c -o app || fail "cannot build"
}
cd "$(pwd -P)" || exit 1
build -DWAIT=100
TRACE_QUIET=1 TRACE_OUTPUT=before traced ./app
TRACE_QUIET=1 TRACE_OUTPUT=callgrind TRACE_FORMAT=callgrind,tree TRACE_LEVEL=2 traced ./app
TRACE_QUIET=1 TRACE_OUTPUT=none TRACE_FORMAT=none traced ./app
[ ! -e none/trace.names ] || fail "names are kept where nothing was rendered"
for command in tree report "tree --calls"; do
    "$TRACESHIM" $command before >"${command##* }.before" 2>err
    expect "what $command says before" "" "$(cat err)"
done
"$TRACESHIM" export --format=callgrind callgrind >callgrind.before 2>err

build -DSECOND -DWAIT=20000 -Wl,--section-start=.text=0x8000
TRACE_QUIET=1 TRACE_OUTPUT=after traced ./app
for command in tree report "tree --calls"; do
    "$TRACESHIM" $command before >"${command##* }.out" 2>err
    expect "what $command says" "" "$(cat err)"
    cmp -- "${command##* }.before" "${command##* }.out" || fail "$command"
done
"$TRACESHIM" diff before after >out 2>err
expect "status" 0 $?
expect "what diff says" "" "$(cat err)"
expect_line out '^\+[0-9.]+ms .* 10 +10 .* slow \{app\}'
expect_line out ' 10 +10 .* same '
expect "gone" "" "$(grep '^[^#].* gone ' out)"
expect_line out '^\+.* new  more '

# Lines and call sites that were asked for are kept, too, and what is rendered again keeps them.
for again in 1 2; do
    "$TRACESHIM" export --format=callgrind callgrind >callgrind.out 2>err
    expect "what export says" "" "$(cat err)"
    cmp callgrind.before callgrind.out || fail "callgrind, $again"
    rm -f app
    cp callgrind/trace.names names.before
    TRACE_FORMAT=callgrind,tree "$TRACESHIM" render --quiet callgrind || fail "render"
    cmp names.before callgrind/trace.names || fail "names, $again"
done
# Also where they are not asked for then.
TRACE_FORMAT=csv "$TRACESHIM" render --quiet callgrind || fail "render"
"$TRACESHIM" export --format=callgrind callgrind >callgrind.out 2>err
expect "what export says" "" "$(cat err)"
cmp callgrind.before callgrind.out || fail "what was not asked for is lost"
expect "facts" "$(grep -v -e ^end -e ^module names.before | sort)" "$(grep -v -e ^end -e ^module callgrind/trace.names | sort)"
# Of one file of the directory, and of a directory above it.
mkdir runs
cp -r before runs/first
for place in before/*.trace runs; do
    "$TRACESHIM" report "$place" >out 2>err
    expect "what report says of $place" "" "$(grep -v 'holds no trace itself' err)"
    expect_line out ' slow \{app\}$'
done

# What is not known is told as before.
"$TRACESHIM" report none >out 2>err
expect_one_line err
expect_line err 'names are module\+offset$'
# Lines that nobody asked for then.
"$TRACESHIM" export --format=callgrind before >out 2>err
expect_one_line err
expect_line err 'source lines are missing$'
grep -q slow out || fail "no names"

# Cut, changed, and not ours.
cp before/trace.names whole
for damage in "head -c 99 whole" "sed s/same/lame/ whole" "sed 1s/1/2/ whole" "echo mine"; do
    $damage >before/trace.names
    "$TRACESHIM" report before >out 2>err
    expect "status with $damage" 0 $?
    expect "lines with $damage" 2 "$(wc -l <err)"
    expect_line err '^traceshim: before/trace\.names is not used: it (is|was) '
    expect_line out 'app\+0x'
done
