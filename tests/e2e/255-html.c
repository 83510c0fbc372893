/* Belongs to 255-html.sh, which renames `plain`. An argument N: N levels of recursion, each with calls of its own. */
#include <stdlib.h>
#include <unistd.h>

int plain(int n) {
    return n + 1;
}

static int down(int n) {
    int sum = plain(n);
    if (n > 0)
        sum += down(n - 1);
    return sum + (n % 2 ? plain(n) : 0);
}

int main(int argc, char **argv) {
    access("/nowhere <b>", R_OK);
    return argc > 1 && down(atoi(argv[1]) - 1) == -1;
}
