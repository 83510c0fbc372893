# TRACE_FUNCTIONS: globs choose, globs with `-` exclude; what is excluded is not recorded, its callees are. Rows A1, C8.
. "$SOURCES/lib.sh"
instrument programs/calls.c calls

# filter VALUE MAIN OUTER INNER: calls of each
filter() {
    rm -rf out
    TRACE_FUNCTIONS="$1" TRACE_OUTPUT=out traced ./calls 4 >got 2>err
    expect "standard output with '$1'" "sum 56" "$(cat got)"
    expect "calls with '$1'" "$2 $3 $4" "$(calls out main) $(calls out outer) $(calls out inner)"
}

filter '*' 1 4 8
filter 'outer' 0 4 0
filter 'out*' 0 4 0
filter 'out*,main' 1 4 0
filter '*,-inner' 1 4 0
filter '-inner' 1 4 0
filter '-*' 0 0 0
filter '[mi]*' 1 0 8
filter '?????' 0 4 8
filter 'nothing_is_called_so' 0 0 0
