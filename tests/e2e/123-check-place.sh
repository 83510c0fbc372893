# Where `traceshim check` says that the trace goes, how much of it and why not, against what the shim then does and says.
. "$SOURCES/lib.sh"
instrument programs/calls.c calls
app=$PWD/calls

# agrees STATUS PATTERN: of check; and the shim says the same, if anything, and leaves a trace or not
agrees() {
    local came=1 words status
    "$TRACESHIM" check "$app" >"$OLD/found"
    status=$?
    expect "status of check ($(grep -v '^ok' "$OLD/found"))" "$1" $status
    expect_line "$OLD/found" "$2"
    TRACE_FORMAT=none traced "$app" >"$OLD/ran" 2>"$OLD/ran.err"
    [ -z "$(find "${TRACE_OUTPUT:-$OLD}" "$TMPDIR" -name '*.trace' 2>/dev/null)" ] || came=0
    expect "a trace ($2)" "$1" $came
    words=$(grep -E "$2" "$OLD/found" | sed -n 's/^[noteFAIL]* *\(.* cannot be used\)*//p')
    case $2 in
    *'cannot be used'* | *limited*) # the path apart, word by word
        sed 's/[0-9]* KiB/N KiB/' "$OLD/ran.err" | grep -qF -- "$(echo "$words" | sed 's/; .*//; s/[0-9]* KiB/N KiB/')" || fail "'$words' against $(cat "$OLD/ran.err")"
        ;;
    esac
    rm -rf "${TRACE_OUTPUT:-none}"/*.trace "${TMPDIR:?}"/* ./traceshim.*
}

OLD=$PWD
export TMPDIR=$PWD/temporary
mkdir temporary foreign
echo words >foreign/thesis
agrees 0 '^ok    the trace goes to traceshim.%p and may take [0-9]+ MiB$'
[ "$(grep -c . ran.err)" = 0 ] || fail "said at run time: $(cat ran.err)"
TRACE_OUTPUT=$PWD/deep/er/out agrees 0 '^ok    the trace goes to .*/deep/er/out and may take'
TRACE_OUTPUT=$PWD/foreign agrees 1 '^FAIL  .*/foreign cannot be used: it holds files that are not a trace; TRACE_OUTPUT'
TRACE_OUTPUT=$PWD/found/x agrees 1 '^FAIL  .*/found/x cannot be used: a part of its path is no directory'
TRACE_MAX_SIZE=9999999G agrees 0 '^note  the trace is limited to [0-9]+ KiB by what is free there$'
TRACE_LEVEL=0 agrees 1 '^FAIL  TRACE_LEVEL is 0: nothing is recorded'
(ulimit -f 2048 && agrees 0 '^note  the trace is limited to 2048 KiB by RLIMIT_FSIZE$') || exit 1
(ulimit -f 1 && TRACE_OUTPUT=$PWD/small agrees 1 '^FAIL  .*/small cannot be used: there is no room for a trace') || exit 1
cd /proc || skip "no /proc"
agrees 0 '^note  traceshim.%p cannot be used: its parent directory is gone; the trace goes to '
"$TRACESHIM" run -- "$app" >"$OLD/got" 2>"$OLD/err" || fail "run: $?"
[ -n "$(find "$TMPDIR" -name '*.trace')" ] || fail "run: no trace in the temporary directory: $(cat "$OLD/err")"
cd "$OLD" || exit 1
rm -r "${TMPDIR:?}"/*

# A finished run is moved; one that goes on is joined. Neither is touched by the look.
TRACE_OUTPUT=again TRACE_FORMAT=none traced "$app" >/dev/null
before=$(ls -lR again)
TRACE_OUTPUT=again "$TRACESHIM" check "$app" >found || fail "$(cat found)"
expect_line found '^note  the finished run in .*/again would be moved to .*/again.old$'
expect "what is in the directory" "$before" "$(ls -lR again)"
TRACE_OUTPUT=busy TRACE_FORMAT=none TRACE_HOOKS=proc traced sleep 30 &
while [ -z "$(find busy -name '*.trace' 2>/dev/null)" ]; do sleep 0.05; done
TRACE_OUTPUT=busy "$TRACESHIM" check "$app" >found || fail "$(cat found)"
kill "$(basename busy/*.trace .trace)"
wait
expect_line found '^note  a run is going on in .*/busy: the trace would become part of it$'

# The library's memory counts before anything of it runs.
(ulimit -d 2000 && TRACE_OUTPUT=not-made agrees 1 '^FAIL  RLIMIT_DATA allows 2000 KiB') || exit 1

mkdir small
mount -t tmpfs -o size=1m none small 2>/dev/null || skip "the rest passed; mounting a tmpfs is refused here"
trap 'umount -l "$OLD/small"' EXIT
dd if=/dev/zero of=small/fill bs=4k 2>/dev/null
TRACE_OUTPUT=$PWD/small/x agrees 1 '^FAIL  .*/small/x cannot be used: '
rm small/fill
mount -o remount,ro small || skip "the rest passed; remounting is refused here"
TRACE_OUTPUT=$PWD/small/x agrees 1 '^FAIL  .*/small/x cannot be used: its file system is read-only'
