# A program that defines __cyg_profile_func_enter itself keeps its own; we say so once and stay out. Row C5.
. "$SOURCES/lib.sh"
for flags in "" "-rdynamic" "-no-pie -fno-pie" "-fno-plt"; do
    instrument 025-own-hooks.c app $flags
    expect "its own count" "55, 11 entries, 10 exits" "$(./app)"
    TRACE_OUTPUT="out" traced ./app >got 2>err
    expect "status" 0 $?
    expect "its own count, traced, built with '$flags'" "55, 11 entries, 10 exits" "$(cat got)"
    expect "warnings" 1 "$(grep -c '^traceshim: .*__cyg_profile_func_enter' err)"
    expect "recorded calls" 0 "$(calls out work)"
    rm -rf out
done
