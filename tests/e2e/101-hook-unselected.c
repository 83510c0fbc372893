/* Calls two functions of its library, of which one is hooked. 101-hook-unselected.sh. */
#include <stdio.h>

int hooked(int n);
int not_hooked(int n);

#ifdef LIBRARY
int hooked(int n) {
    return n + 1;
}

int not_hooked(int n) {
    return n + 2;
}
#else
__attribute__((noinline)) int loop(int n) {
    for (int i = 0; i < 1000; i++)
        n = not_hooked(n);
    return n;
}

int main(void) {
    printf("%d\n", loop(hooked(1)));
    return 0;
}
#endif
