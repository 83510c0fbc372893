# However a program ends by a hooked call, its status and output are its own, and calls that never come back are there by
# their entry.
. "$SOURCES/lib.sh"
gcc -O1 -pthread "$SOURCES/082-hook-exits.c" -o app || fail "cannot build"
ulimit -c 0
for hooks in io,net,proc,sync,time,dl '*'; do
    for kind in return exit _exit quick_exit abort raise exec failed_exec thread pthread_exit; do
        rm -rf out
        ./app $kind >wanted 2>wanted.err
        status=$?
        TRACE_HOOKS=$hooks TRACE_OUTPUT=out TRACE_FORMAT=none traced ./app $kind >got 2>err
        expect "status of $kind with $hooks" $status $?
        cmp -s wanted got || fail "$kind with $hooks: other output: $(cat got)"
        [ $status -gt 128 ] || cmp -s wanted.err err || fail "$kind with $hooks: $(cat err)"
        case $kind in
        return | exit | _exit | quick_exit | abort | failed_exec)
            expect "unfinished of $kind with $hooks" 0 "$(info out unfinished)"
            ;;
        esac
        case $kind in
        return) ;;
        raise) expect "raise" 1 "$(calls out raise)" ;;
        exec | failed_exec) expect "execl" 1 "$(calls out execl)" ;;
        thread) expect "exit" 1 "$(calls out exit)" ;;
        pthread_exit)
            [ "$hooks" != '*' ] || expect "pthread_exit" 2 "$(calls out pthread_exit)"
            ;;
        *) expect "$kind with $hooks" 1 "$(calls out $kind)" ;;
        esac
        check_chrome out
    done 2>/dev/null
done
tree out | grep -q 'pthread_exit' || fail "no pthread_exit in the tree"
