# A program that closes stderr before its end (as tar does): nothing can be said there, but `traceshim run` has a stderr of
# its own and shows the tree.
. "$SOURCES/lib.sh"
cat >closes.c <<'P'
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
int main(void) {
    access("mark", F_OK);
    fclose(stderr);
    return 3;
}
P
gcc -O1 -w closes.c -o closes || fail "cannot build"
"$TRACESHIM" run --hooks=access --output=out -- ./closes 2>err
expect "status" 3 $?
expect_line err "access .*path='mark'"
expect_line err '^traceshim: [0-9]+ calls?; open '
[ -s out/tree.txt ] || fail "no tree"
