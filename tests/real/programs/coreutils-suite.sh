# The test scripts of coreutils' source, with the programs that are installed: each passes, fails or is skipped as untraced.
# TESTS: some of them, a pattern.
# NEEDS: perl gcc dpkg
# SEES: fork|vfork|posix_spawn
# LIMIT: 180
. "$HERE/lib.sh"
suite_source coreutils
cp -r "$suite/tests" "$suite/init.cfg" . && mkdir src || exit 1
for program in $(dpkg -L coreutils | sed -n 's,^.*/s\?bin/,,p'); do
    file=$(command -v -p "$program") && [ -x "$file" ] && ln -s "$file" "src/$program"
done
printf '%s\n' '#define HAVE_SETLOCALE 1' >config.h
# Those that mount, that need other users, a terminal or gigabytes, or that measure time, are left out.
cat >all <<'S'
export srcdir=. top_srcdir=. abs_srcdir=$PWD abs_top_srcdir=$PWD abs_top_builddir=$PWD VERSION=9.1 PACKAGE_VERSION=9.1
export CONFIG_HEADER=$PWD/config.h CC=gcc AWK=awk EGREP='grep -E' EXEEXT= MAKE=make PERL=perl SHELL=/bin/sh TMPDIR=$PWD
export host_os=linux-gnu host_triplet=x86_64-pc-linux-gnu built_programs=$(ls src | tr '\n' ' ') PATH=$PWD/src:$PATH
export LOCALE_FR=none LOCALE_FR_UTF8=none fail=0
chosen='tests/{chmod,cp,dd,du,id,install,ln,ls,misc,mkdir,mv,readlink,rm,rmdir,split,touch}/*.sh'
for test in $(eval grep -LE "'require_root_|expensive_|retry_delay_|require_controlling|ulimit -v|strace|valgrind'" "${TESTS:-$chosen}"); do
    export CU_TEST_NAME=$(basename "$test")
    timeout 300 /bin/sh "$test" >said 2>&1 9>&2 </dev/null
    echo "$test: status $?"
done
S
traced bash ./all
