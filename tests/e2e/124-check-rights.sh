# What `traceshim check` tells a plain user of programs with other rights than theirs, against their run of them.
. "$SOURCES/lib.sh"
. "$SOURCES/check.sh"
[ "$(id -u)" = 0 ] || skip "only root can make such programs"
setpriv --reuid=65534 --regid=65534 --clear-groups true 2>/dev/null || skip "setpriv is missing or refused"
instrument programs/calls.c calls
chmod 755 .
mkdir -m 777 place
cp "$TRACESHIM" "$SHIM" .
setpriv --reuid=65534 --regid=65534 --clear-groups test -x ./traceshim || skip "the scratch directory is closed to others"
TRACESHIM=$PWD/traceshim SHIM=$PWD/libtraceshim.so
findmnt -no OPTIONS -T . | grep -qw nosuid && skip "set-user-ID has no effect here"

# by_user STATUS PATTERN [OPTION-OF-SETPRIV]
by_user() {
    local came=1 status
    rm -rf place/out
    setpriv --reuid=65534 --regid=65534 --clear-groups ${3-} env TRACE_OUTPUT=place/out "$TRACESHIM" check ./calls >found 2>err
    status=$?
    expect "status for a user ($(grep FAIL found))" "$1" $status
    expect_line found "$2"
    setpriv --reuid=65534 --regid=65534 --clear-groups ${3-} env LD_PRELOAD="$SHIM" TRACE_OUTPUT=place/out TRACE_FORMAT=none \
        ./calls >got 2>ran.err
    [ -z "$(find place -name '*.trace')" ] || came=0
    expect "a trace for a user ($2)" "$1" $came
}

by_user 0 '^ok    dynamically linked'
chmod 4755 calls
by_user 1 '^FAIL  set-user-ID: the loader ignores LD_PRELOAD for other users; trace a copy without that bit'
by_user 0 '^ok    dynamically linked' --no-new-privs
foretold ./calls '^note  set-user-ID: '
chmod 2755 calls
by_user 1 '^FAIL  set-group-ID: the loader ignores LD_PRELOAD'
foretold ./calls '^note  set-group-ID: '
chmod 755 calls
chown 65534:65534 calls
chmod 6755 calls
by_user 0 '^note  set-user-ID: '
chown 0:0 calls
chmod 755 calls
if setcap cap_net_raw+ep calls 2>/dev/null; then
    by_user 1 '^FAIL  has file capabilities: the loader ignores LD_PRELOAD for other users than root'
    foretold ./calls '^note  has file capabilities'
    setcap -r calls
fi
chmod 711 calls
setpriv --reuid=65534 --regid=65534 --clear-groups "$TRACESHIM" check ./calls >found 2>err
expect "status for who may not read it" 1 $?
expect_line found '^FAIL  ./calls can be executed but not read'
chmod 700 calls
by_user 1 '^FAIL  ./calls is not executable by you; see chmod'
