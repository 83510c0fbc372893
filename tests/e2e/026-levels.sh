# TRACE_LEVEL is read whole: 0 and what is not a number leave no file; what is out of range is clamped. Rows C1, C2.
. "$SOURCES/lib.sh"
instrument programs/calls.c calls

# level VALUE EXPECTED: EXPECTED is off, on or bad (off, with one line)
level() {
    rm -rf out
    TRACE_LEVEL="$1" TRACE_OUTPUT=out traced ./calls >got 2>err
    expect "status at level '$1'" 0 $?
    expect "standard output at level '$1'" "sum 5" "$(cat got)"
    case $2 in
    on) expect "calls at level '$1'" 2 "$(calls out inner)" ;;
    off)
        [ -e out ] && fail "level '$1' made files"
        expect "standard error at level '$1'" "" "$(cat err)"
        ;;
    bad)
        [ -e out ] && fail "level '$1' made files"
        expect_one_line err
        expect_line err 'TRACE_LEVEL'
        ;;
    esac
}

level 0 off
level -5 off
level 1 on
level ' 1 ' on
level 99 on
level 99999999999999999999 on
level '' off
level abc bad
level 2.5 bad
level 0x1 bad
level '1 2' bad

# Unset means 1.
rm -rf out
TRACE_OUTPUT=out traced ./calls >got 2>err
expect "calls without a level" 2 "$(calls out inner)"
