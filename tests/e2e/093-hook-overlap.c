/*
 * A program that spans almost all of 4 GiB of addresses, most of it a gap: whatever is loaded shares low halves of
 * addresses with it, the stubs too. 093-hook-overlap.sh.
 */
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

__attribute__((section(".far"), used)) const char far_away[16] = "far";

static int own(int n) {
    return n + (getppid() > 0);
}

int main(void) {
    int sum = 0;
    for (int i = 0; i < 10; i++) {
        char *text = strdup("text");
        sum += own(i) + (access("/", R_OK) == 0) + (int)lrand48() % 2;
        free(text);
    }
    return sum == 0;
}
