# The tests of perl's language and files from its source, with the perl that is installed: as many pass as untraced.
# TESTS: some of them, as they are named below t.
# NEEDS: perl
# SEES: fork
# LIMIT: 180
. "$HERE/lib.sh"
suite_source perl
mkdir lib
for part in $(perl -e 'print join(" ", grep { m{^/usr/(share|lib)/.*(perl/5|perl-base)} } @INC)'); do
    cp -as --no-clobber "$part/." lib
done
cp -r "$suite/t" t && ln -s /usr/bin/perl t/perl && cd t || exit 1
cat >all <<'S'
export PERL_CORE=1 TMPDIR=$PWD
for test in ${TESTS:-op/*.t io/*.t}; do
    timeout 300 ./perl "$test" >said 2>errors </dev/null
    echo "$test: status $?, $(grep -c '^ok' said) ok, $(grep -c '^not ok' said) not ok"
done
S
traced bash ./all
