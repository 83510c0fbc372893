# Signals at any instruction, their handler on an alternate stack: calls whose hooks they interrupt are not taken for the
# handler's.
. "$SOURCES/lib.sh"
for flags in -O0 -O2; do
    instrument 045-alternate-stack-storm.c app $flags
    rm -rf out
    TRACE_FORMAT=none TRACE_OUTPUT=out traced ./app >got 2>err
    expect "status" 0 $?
    expect "standard output" "done" "$(cat got)"
    expect "calls of work" 600000 "$(calls out work)"
    expect "calls of leaf" 1200000 "$(calls out leaf)"
    expect "unwound" 0 "$(info out unwound)"
    expect "unfinished" 0 "$(info out unfinished)"
    expect "misnested" 0 "$(info out misnested)"
    expect "lost" 0 "$(info out lost)"
done
exit 0
