/* For 188-lines-levels.sh: a loop, a switch and comparisons of integers and floating-point numbers. */
#include <stdio.h>

static int choose(unsigned char kind) {
    switch (kind) {
    case 1:
        return 10;
    case 7:
        return 70;
    default:
        return 0;
    }
}

static int compare(int left, int right, double weight) {
    if (weight > 0.5)
        left++;
    return left == right;
}

static int other(int left, int right) {
    return left < right;
}

int main(void) {
    int sum = 0;
    for (int i = 0; i < 100; i++)
        sum += choose((unsigned char)(i % 10));
    for (int i = 0; i < 20; i++)
        sum += compare(i % 2, -1, i < 5 ? 0.25 : 0.75) + other(i, 3);
    for (int i = 0; i < 40; i++)
        sum += compare(100 + i, 5, 0.25);
    printf("%d\n", sum);
    return 0;
}
