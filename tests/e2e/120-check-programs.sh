# What `traceshim check` tells of a program before it runs, against what a run of it leaves. Row A27.
. "$SOURCES/lib.sh"
. "$SOURCES/check.sh"
plain='^note  not compiled with -finstrument-functions: .*; compile with'
instrumented='^ok    compiled with -finstrument-functions: calls$'
for flags in "" "-no-pie -fno-pie" "-fno-plt -Wl,-z,now"; do
    instrument programs/calls.c calls $flags
    foretold ./calls '^ok    dynamically linked, ' "$instrumented" '^ok    all of its libraries are found' \
        '^ok    calls has debug information'
done
expect_line found '^ok    full RELRO'
instrument programs/calls.c calls -Wl,-z,norelro
foretold ./calls "$instrumented"
grep -q RELRO found && fail "RELRO: $(cat found)"

# What names functions: nothing of it, names alone, names alone elsewhere, all of it elsewhere.
gcc -finstrument-functions -w "$SOURCES/programs/calls.c" -o calls || fail "cannot build"
foretold ./calls '^note  calls has no debug information: .*; compile with -g$'
strip calls
foretold ./calls '^note  ./calls has no symbols \(stripped\): .*; keep the unstripped file'
gcc -finstrument-functions -rdynamic -w "$SOURCES/programs/calls.c" -o calls && strip calls || fail "cannot build"
foretold ./calls '^note  calls is stripped: .*; keep the unstripped file'
instrument programs/calls.c calls
objcopy --only-keep-debug calls calls.debug
strip calls
objcopy --add-gnu-debuglink=calls.debug calls
foretold ./calls '^ok    calls has debug information'

# Nothing of its own, and calls of libraries only where they are asked for.
gcc -g -w "$SOURCES/programs/calls.c" -o calls || fail "cannot build"
foretold ./calls "$plain" '^ok    TRACE_HOOKS is empty: no library call is recorded' '^FAIL  nothing of it would be recorded: '
TRACE_HOOKS='printf' foretold ./calls "$plain" '^ok    TRACE_HOOKS selects 1 of'
TRACE_HOOKS=getppid foretold ./calls '^FAIL  nothing of it' '^note  TRACE_HOOKS: nothing that is loaded calls getppid'
grep -oE 'TRACE_HOOKS: nothing that is loaded calls getppid' ran.err >/dev/null || fail "other words: $(cat ran.err)"

for flags in -static -static-pie; do
    gcc -g -finstrument-functions $flags -w "$SOURCES/programs/calls.c" -o calls 2>/dev/null || skip "no static libc here"
    foretold ./calls "^FAIL  statically linked.*: LD_PRELOAD has no effect; link it dynamically"
    "$TRACESHIM" run -- ./calls >got 2>err
    expect_line err '^traceshim: ./calls left no trace; traceshim check ./calls tells why$'
done

instrument programs/calls.c calls -Wl,--dynamic-linker=/nonexistent/ld.so
foretold ./calls '^FAIL  its loader /nonexistent/ld.so is not there'
echo 'int frob(void) { return 0; }' >frob.c
echo 'int frob(void); int main(void) { return frob(); }' >main.c
gcc -shared -fPIC frob.c -o libfrob.so && gcc -finstrument-functions main.c ./libfrob.so -o frob || fail "cannot build"
foretold ./frob '^ok    all of its libraries'
mkdir elsewhere
mv libfrob.so elsewhere/libfrob.so
foretold ./frob '^FAIL  library ./libfrob.so, which frob needs, is not found'
gcc -finstrument-functions main.c -Lelsewhere -lfrob -o frob || fail "cannot build"
foretold ./frob '^FAIL  library libfrob.so, which frob needs, is not found'
LD_LIBRARY_PATH=elsewhere foretold ./frob '^ok    all of its libraries'

# As a program of 32 bits begins.
head -c 64 "$TRACESHIM" >short
printf '\1' | dd of=short bs=1 seek=4 conv=notrunc status=none
chmod +x short
foretold ./short '^FAIL  ./short is a 32-bit program'
foretold "$SHIM" '^FAIL  names no loader'
foretold "$TRACESHIM" "$plain"
