# Level 3: an exception that nobody catches is told of, with the stack that threw it, and the program ends as without us.
# Rows A14, C19.
. "$SOURCES/lib.sh"

for compiler in g++ clang++; do
    command -v $compiler >/dev/null || continue
    CC=$compiler instrument 200-uncaught.cc program
    for way in 0 1 2 3; do
        (./program $way >/dev/null 2>bare
            exit $?) 2>shell # which says that it was aborted
        bare=$?
        rm -rf out
        (env LD_PRELOAD="$SHIM" TRACE_LEVEL=3 TRACE_OUTPUT=out TRACE_QUIET=1 ./program $way >/dev/null 2>err
            exit $?) 2>shell
        expect "status ($compiler $way)" $bare $?
        case $way in
        1) stack="thrower at 200-uncaught.cc:9 < outer < guarded < main" ;;
        2) stack="thrower at 200-uncaught.cc:9 < outer < " ;;
        3) stack="main at 200-uncaught.cc:33" ;;
        *) stack="thrower at 200-uncaught.cc:9 < outer < main" ;;
        esac
        expect "standard error ($compiler $way)" "$(cat bare)" "$(cat err)"
        expect_line out/tree.txt \
            "throw .* \[exception.type='std::runtime_error', exception.message='nobody', from='thrower', at='200-uncaught.cc:9'\]"
        expect_line out/tree.txt \
            "SIGABRT .* \[ERROR\] .*, exception.type='std::runtime_error', exception.message='nobody', exception.stack='$stack.*'\]"
        # Where noexcept stops it, gcc's run-time library ends the program from a function without a name.
        [ $way = 1 ] || expect_line out/tree.txt \
            "terminate .* \[ERROR\] \[exception.type='std::runtime_error', exception.message='nobody', stack='$stack"
        "$TRACESHIM" info out >info.out || fail "info"
        expect_line info.out "^uncaught: std::runtime_error 'nobody', thrown in $stack"
        expect "exceptions that nobody caught ($compiler $way)" 1 "$(grep -c '^uncaught: ' info.out)"
        check_chrome out
    done
done
