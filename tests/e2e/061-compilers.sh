# Thirteen builds by two compilers: every call is counted, and exactly the calls that were jumped or thrown out of are
# closed as unwound. g++ calls the exit hook while it unwinds, clang++ does not.
. "$SOURCES/lib.sh"
missing=

# one SOURCE COMPILER FLAGS
one() {
    local source=$1 compiler=$2
    shift 2
    command -v "$compiler" >/dev/null || { missing="$missing $compiler"; return; }
    CC=$compiler instrument "$source" app "$@"
    ./app >bare
    rm -rf out
    TRACE_FORMAT=none TRACE_MAX_SIZE=1G TRACE_OUTPUT=out traced ./app >got 2>err
    expect "status of $compiler $*" 0 $?
    cmp -s bare got || fail "$compiler $*: standard output is $(cat got)"
    while read -r name count; do
        if [ "$name" = unwound ]; then
            expect "unwound, $compiler $*" "$count" "$(info out unwound)"
        else
            expect "calls of $name, $compiler $*" "$count" "$(calls out "$name")"
        fi
    done <bare
    expect "unfinished, $compiler $*" 0 "$(info out unfinished)"
}

for flags in -O0 -O1 -O2 "-O2 -fno-omit-frame-pointer" -Os -O3; do
    one 061-compilers.c gcc $flags
done
for flags in -O0 -O2 -Os; do
    one 061-compilers.c clang $flags
done
for flags in -O0 -O2; do
    one 061-compilers.cc g++ $flags -DTHROWN_FRAMES_UNWOUND=0
    one 061-compilers.cc clang++ $flags -DTHROWN_FRAMES_UNWOUND=5
done
[ -z "$missing" ] || skip "the rest passed; not on this machine:$missing"
