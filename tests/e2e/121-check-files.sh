# What `traceshim check` tells of scripts, and of what cannot be started; its answer as JSON; its command line.
. "$SOURCES/lib.sh"
. "$SOURCES/check.sh"
export TRACE_HOOKS=io
printf '#!/bin/sh\nread line </etc/passwd\n' >script
printf '#!/usr/bin/env bash\nread line </etc/passwd\n' >by-env
printf '#!./script\n' >twice
printf '#!/nonexistent/sh\n' >broken
printf '#!/bin/sh\r\n' >carriage
chmod +x script by-env twice broken carriage
foretold ./script '^ok    ./script is a script: /bin/sh runs it and is what is traced$'
foretold ./by-env '^ok    ./by-env is a script: .*/bash, found by /usr/bin/env, runs it'
foretold ./twice '^ok    ./twice is a script: ./script runs' '^ok    ./script is a script: /bin/sh runs'
foretold ./broken '^FAIL  /nonexistent/sh, which is to run ./broken: No such file'
foretold ./carriage '^FAIL  /bin/sh\\r, which is to run ./carriage'

# Without such a line: by execvp, as env and traceshim run do it
printf 'read line </etc/passwd\n' >text
chmod +x text
foretold ./text '^note  ./text has no #! line: '
: >text
foretold ./text '^note  ./text has no #! line: '

# One clear line where nothing can be started.
for program in ./nothing nosuchprogram . ./broken ./plain; do
    echo >plain
    foretold $program '^FAIL  '
    expect "findings on $program" 1 "$(wc -l <found)"
done
PATH=$PWD:$PATH foretold script '^ok    .*/script is a script'

"$TRACESHIM" check --format=json ./script >found.json || fail "status $?"
python3 - found.json <<'P' || fail "JSON"
import json, sys
found = json.load(open(sys.argv[1]))
assert found["passes"] is True and found["program"] == "./script"
assert {finding["grade"] for finding in found["findings"]} <= {"ok", "note"} and len(found["findings"]) > 5
P
for arguments in "" "--format=xml ./script" "--frob ./script" "./script ./script"; do
    "$TRACESHIM" check $arguments >got 2>err
    expect "status of check $arguments" 2 $?
    expect_one_line err
done
"$TRACESHIM" check ./script >/dev/full 2>err
expect "status where nothing can be written" 1 $?
expect_one_line err
[ "$(find . -name 'traceshim*' -o -name '.traceshim*' | wc -l)" = 0 ] || fail "it leaves files behind"
