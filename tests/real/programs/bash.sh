# Job control: background jobs, stops and continues, pipes, traps, process substitution, a coprocess.
# NEEDS: bash
# SEES: fork wait4|waitpid write read
. "$HERE/lib.sh"
cat >jobs.sh <<'END'
set -m
sleep 0.3 & sleep 0.4 &
jobs | sed 's/\[\([0-9]\)\]./[\1]/'
wait
sleep 60 &
kill -STOP %%
sleep 0.1
jobs -l | sed 's/ *[0-9][0-9][0-9]* */ PID /'
bg %% >/dev/null
kill -TERM %%
{ wait %%; } 2>/dev/null
echo "ended by $?"
trap 'echo usr1' USR1
trap 'echo chld' CHLD
kill -USR1 $$
(exit 9)
echo "status $?"
trap - CHLD
seq 1000 | sort -rn | head -n 3
echo "${PIPESTATUS[@]}"
diff <(seq 5) <(seq 6)
coproc cat
echo through >&"${COPROC[1]}"
read -r line <&"${COPROC[0]}"
echo "$line"
exec {COPROC[1]}>&-
wait
for i in $(seq 50); do (exit $((i % 3))) || echo -n "$?"; done
echo
(trap '' PIPE; yes 2>/dev/null; echo "yes: $?" >yes) | head -n 1
cat yes
exec 5<>/dev/null
ulimit -n 64
read -r -t 0.1 line < <(sleep 1)
echo "timed out: $?"
exec bash -c 'kill -SEGV $$'
END
traced bash jobs.sh 2>&1 | sed 's/line [0-9]*: *[0-9]* /line N: PID /'
echo "${PIPESTATUS[0]}"
