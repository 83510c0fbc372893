# The tests of bash's own source, with the bash that is installed: each passes or differs as it does untraced.
# TESTS: some of them.
# NEEDS: bash gcc
# SEES: fork
# LIMIT: 180
. "$HERE/lib.sh"
suite_source bash
cp -r "$suite/tests" tests && cd tests || exit 1
for tool in recho zecho printenv xcase; do
    gcc -w -I "$suite" -I "$suite/include" -DHAVE_STDLIB_H -DHAVE_STRING_H -DHAVE_UNISTD_H "$suite/support/$tool.c" -o $tool || exit 1
done
# What they leave out differs from run to run: jobs that are stopped, times, and a terminal.
cat >all <<'S'
export THIS_SH=/bin/bash BUILD_DIR=. PATH=.:$PATH BASH_TSTOUT=$PWD/test.out TMPDIR=$PWD
for test in ${TESTS:-run-*}; do
    case $test in run-all | run-minimal | run-jobs | run-read | run-coproc | run-timeout | run-gprof | run-execscript) continue ;; esac
    timeout 300 bash ./$test >said 2>&1 </dev/null
    echo "$test: status $?, $(grep -c '^[<>]' said) lines differ"
done
S
traced bash ./all
