# On a terminal: colours, rows cut at its width, a pager; anywhere else none of that. UTF-8 in any locale.
. "$SOURCES/lib.sh"
need_terminal
instrument programs/calls.c calls
TRACE_QUIET=1 TRACE_OUTPUT=trace traced ./calls 3 >got
cat >terminal.py <<'P'
"""terminal.py COLUMNS COMMAND...: runs it on a terminal so wide, shows what came out, ends with its status."""
import fcntl, os, pty, struct, sys, termios
pid, fd = pty.fork()
if pid == 0:
    fcntl.ioctl(1, termios.TIOCSWINSZ, struct.pack("HHHH", 24, int(sys.argv[1]), 0, 0))
    os.execvp(sys.argv[2], sys.argv[2:])
shown = b""
try:
    while piece := os.read(fd, 65536):
        shown += piece
except OSError:
    pass
sys.stdout.buffer.write(shown.replace(b"\r\n", b"\n"))
sys.exit(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]))
P
escape=$(printf '\033')

# same WHAT WANTED GOT: but for durations, whose last digit hangs on the clock's rate as it is read each time
same() {
    expect "$1" "$(python3 "$SOURCES/run.py" --plain-tree <<<"$2")" "$(python3 "$SOURCES/run.py" --plain-tree <<<"$3")"
}

# on COLUMNS OPTION...: the tree as a terminal of that width shows it, with the environment of PLACE
on() {
    local columns=$1
    shift
    env -u NO_COLOR -u PAGER -u LESS TERM=xterm $PLACE python3 terminal.py "$columns" "$TRACESHIM" "$@" trace
}

"$TRACESHIM" tree trace >plain
grep -q "$escape" plain && fail "escape sequences in a file"

PLACE='' on 200 tree --no-pager >shown || fail "status $?"
expect_line shown "$escape\\[1mmain$escape\\[0m"
same "text on a terminal" "$(cat plain)" "$(sed "s/$escape\\[[0-9;]*m//g" shown)"
for place in NO_COLOR=1 TERM=dumb TERM=; do
    PLACE=$place on 200 tree --no-pager >shown
    same "on a terminal with $place" "$(cat plain)" "$(cat shown)"
done
PLACE=LC_ALL=C on 200 tree --no-pager >shown
expect_line shown '└── '

PLACE=NO_COLOR=1 on 20 tree --no-pager >shown
expect "widest row" 20 "$(python3 -c 'print(max(len(l.rstrip("\n")) for l in open("shown", encoding="utf-8")))')"
expect_line shown '…$'
PLACE=NO_COLOR=1 on 20 tree --no-pager --wide >shown
same "--wide" "$(cat plain)" "$(cat shown)"
width=$(head -n 1 plain | python3 -c 'import sys; print(len(sys.stdin.buffer.read().decode()) - 1)')
PLACE=NO_COLOR=1 on "$width" tree --no-pager >shown
grep -q '^└── main.*…' shown && fail "a row as wide as the terminal is cut"

cat >pager <<'P'
#!/bin/sh
echo "LESS=$LESS"
sed 's/^/paged: /'
P
chmod +x pager
PLACE="TRACESHIM_PAGER=./pager PAGER=false" on 200 tree >shown || fail "status $?"
expect_line shown '^LESS=FRX'
expect_line shown '^paged: .*main'
PLACE="PAGER=./pager" on 200 report >shown
expect_line shown '^paged: .*calls of '
PLACE="PAGER=" on 200 tree >shown
grep -q paged shown && fail "an empty PAGER is none"
expect_line shown 'main'
PLACE="PAGER=true" on 200 tree >shown
expect "status when the pager ends first" 0 $?
"$TRACESHIM" tree trace | cat >shown
same "in a pipe" "$(cat plain)" "$(cat shown)"
P=./pager
PAGER=$P "$TRACESHIM" tree missing >out 2>err
expect "status of what is missing" 1 $?
