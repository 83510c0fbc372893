# A program with its own malloc, in which it calls hooked functions, takes a lock and looks up symbols.
. "$SOURCES/lib.sh"
for flags in -O1 '-O2 -fno-plt' '-O1 -no-pie -fno-pie' '-O1 -Wl,-z,now'; do
    gcc -pthread -fno-builtin $flags "$SOURCES/086-hook-own-malloc.c" -o app || fail "cannot build with $flags"
    ./app >wanted || fail "bare: $?"
    for hooks in mem '*' 'mem,locks,dl' 'io,net,proc,sync,time,dl'; do
        rm -rf out
        TRACE_HOOKS=$hooks TRACE_OUTPUT=out TRACE_FORMAT=none traced timeout 60 ./app >got 2>err ||
            fail "$flags, $hooks: status $?: $(cat err)"
        cmp -s wanted got || fail "$flags, $hooks: $(cat got)"
        [ -s err ] && fail "$flags, $hooks: $(cat err)"
        expect "lost ($flags, $hooks)" 0 "$(info out lost)"
        expect "misnested ($flags, $hooks)" 0 "$(info out misnested)"
        case $hooks in
        *mem* | '*')
            # strdup calls malloc inside libc: by a call that is not bound to the program's at all
            [ "$(calls out strdup)" = 2000 ] || fail "$flags, $hooks: $(calls out strdup) calls of strdup"
            [ "$(calls out mmap)" -ge 2000 ] || fail "$flags, $hooks: $(calls out mmap) calls of mmap"
            ;;
        esac
    done
done
