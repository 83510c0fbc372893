/* Libraries one and two, and a program: each calls getppid, close and functions of the others. 089-hook-selection.sh.
 */
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

int one_run(int n);
int two_run(int n);
int same(int n);

#if defined(ONE)
int one_run(int n) {
    close(-1);
    return (int)(getppid() > 0) + two_run(n);
}
#elif defined(TWO)
int two_run(int n) {
    close(-1);
    return n + (int)(getppid() > 0) + same(n);
}
int same(int n) {
    return n * 2;
}
#else
int main(void) {
    char *text = getenv("NO_SUCH_NAME");
    close(-1);
    printf("%d %d %d\n", one_run(1), two_run(2), (int)(getppid() > 0) + (text != NULL));
    return 0;
}
#endif
