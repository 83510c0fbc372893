# Signatures of the user's own: arguments and results as they say, failures by their rule, and the calls behave as ever,
# whether all stack arguments are copied by a signature or by guess.
. "$SOURCES/lib.sh"
instrument 070-hook-values.c libvalue.so -DLIBRARY=libvalue -fPIC -shared -Wno-psabi -fno-instrument-functions
instrument 070-hook-values.c app ./libvalue.so -Wl,-rpath,. -fno-instrument-functions
./app >wanted || fail "bare: status $?"

# entry EXPECTED-LINE TRACE_HOOKS: runs with it, and the tree has the line
entry() {
    rm -rf out
    TRACE_HOOKS=$2 TRACE_OUTPUT=out TRACE_FORMAT=none traced ./app >got 2>err || fail "$2: status $?: $(cat err)"
    cmp -s wanted got || fail "$2: other results: $(diff wanted got | head -n 4)"
    [ -s err ] && fail "$2: $(cat err)"
    tree out >tree.txt
    grep -qF -- "$1" tree.txt || fail "$2: no line with '$1': $(head -n 5 tree.txt)"
}

entry 'value_forty (dur) {libvalue.so} [a0=1, a1=4, a2=7, a3=10, a4=13, a5=16, a6=19, a7=22, result=98371]' \
    'value_forty(a0:long a1:int a2:uint a3:ulong a4:size a5:offset a6:long a7:int)=long stack=320'
entry 'value_forty (dur) {libvalue.so} [a7=22' 'value_forty(skip:skip b:skip c:skip d:skip e:skip f:skip g:skip a7:int)'
entry 'value_wide (dur) {libvalue.so} [seed=3]' 'value_wide(result:skip seed:int)= stack=304'
entry 'value_wide (dur) {libvalue.so} [seed=3]' 'value_wide(result:skip seed:int)'
entry 'value_wide (dur) {libvalue.so}' 'value_wide'
entry 'value_many_doubles (dur) {libvalue.so} [l=11]' 'value_many_doubles(l:int)= stack=48'
entry 'value_small (dur) {libvalue.so} [ERROR] [first=2, error=4]' 'value_small(first:long)=long|2,6'
entry 'value_variadic (dur) {libvalue.so} [count=9]' 'value_variadic(count:int ...)'
expect "calls" 3 "$(calls out value_variadic)"
check_chrome out
