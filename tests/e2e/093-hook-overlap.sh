# Modules that share low halves of addresses: each call has its own function's name.
. "$SOURCES/lib.sh"
instrument 093-hook-overlap.c app -O1 -fno-builtin -fno-inline -no-pie -fno-pie -Wl,--section-start=.far=0xeffff000 ||
    fail "cannot build"
for run in 1 2 3; do
    rm -rf out
    TRACE_HOOKS='getppid,strdup,access,lrand48' TRACE_OUTPUT=out TRACE_FORMAT=none traced ./app 2>err || fail "status $?: $(cat err)"
    [ -s err ] && fail "$(cat err)"
    for function in own getppid strdup access lrand48; do
        expect "calls of $function" 10 "$(calls out "$function")"
    done
    expect "calls of main" 1 "$(calls out main)"
    expect misnested 0 "$(info out misnested)"
done
