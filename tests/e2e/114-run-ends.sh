# `traceshim run` ends as its program does, also when that is killed, and then everything that was recorded is rendered;
# signals sent to it reach the program; standard input and output pass through. Rows A10, B14.
. "$SOURCES/lib.sh"
instrument 016-exit-paths.c app
ulimit -c 0

for pair in "exit 3" "abort 134" "kill 137" "segv 139" "term 143"; do
    set -- $pair
    "$TRACESHIM" run --output=out-$1 -- ./app $1 >got 2>err
    expect "status of $1" $2 $?
    expect "standard output of $1" ten "$(cat got)"
    [ -s out-$1/trace.json ] && [ -s out-$1/tree.txt ] || fail "$1 is not rendered: $(cat err)"
    expect "calls of leaf before $1" 10 "$(calls out-$1 leaf)"
done 2>/dev/null
expect_line out-term/tree.txt 'SIGTERM \(0 ns\) .*\[ERROR\] \[code=SI_TKILL, stack=.* < end.* < main'
expect_line out-kill/tree.txt 'end \(unfinished, >= '

expect "standard input" 5 "$(printf 'a\nb\nc\nd\ne\n' | "$TRACESHIM" run --output=out-wc -- wc -l 2>/dev/null)"

# sent SIGNAL STATUS: it reaches a program that waits
sent() {
    "$TRACESHIM" run --output=out-$1 -- sh -c 'echo $$ >pid; exec sleep 30' >/dev/null 2>&1 &
    local run=$!
    for _ in $(seq 200); do
        [ -s pid ] && [ "$(cat "/proc/$(cat pid)/comm" 2>/dev/null)" = sleep ] && break
        sleep 0.05
    done
    kill -$1 $run
    wait $run
    expect "status after $1" $2 $?
    kill -0 "$(cat pid)" 2>/dev/null && fail "$1 did not reach the program"
    rm -f pid
    [ -s out-$1/trace.json ] || fail "$1 is not rendered"
} 2>/dev/null
set -m # else a shell starts its background jobs with SIGINT ignored
sent TERM 143
sent INT 130
sent USR1 138
sent HUP 129

# Of the terminal's: the program gets it once.
need_terminal
cat >count.py <<'PY'
import os, pty, signal, sys, time
pid, terminal = pty.fork()
if pid == 0:
    os.execv(sys.argv[1], [sys.argv[1], "run", "--output=out-tty", "--", sys.executable, "-c", """
import signal, sys, time
count = 0
def interrupted(number, frame):
    global count
    count += 1
signal.signal(signal.SIGINT, interrupted)
print("ready", sys.stdin.isatty(), sys.stdout.isatty(), flush=True)
end = time.time() + 1.5
while time.time() < end:
    time.sleep(0.1)
print("interrupts", count, flush=True)
"""])
text = b""
while b"ready True True\r\n" not in text:
    text += os.read(terminal, 4096)
os.write(terminal, b"\x03")
try:
    while True:
        more = os.read(terminal, 4096)
        if not more:
            break
        text += more
except OSError:
    pass
status = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
print(status, "ready True True" in text.decode(), "interrupts 1" in text.decode())
PY
expect "Ctrl-C" "0 True True" "$(python3 count.py "$TRACESHIM")"
