/* A function that calls itself, directly and by way of another.
 * BUILD: gcc -O0
 * BUILD: gcc -O2
 * BUILD: clang -O2
 * CALLS: is_even 3
 * TREE:
 * └── main (dur) {app}
 *     ├── factorial (dur) {app}
 *     │   └── factorial (dur) {app}
 *     │       └── factorial (dur) {app}
 *     └── is_even (dur) {app}
 *         └── is_odd (dur) {app}
 *             └── is_even (dur) {app}
 *                 └── is_odd (dur) {app}
 *                     └── is_even (dur) {app}
 */
__attribute__((noinline)) int factorial(int n) {
    return n < 2 ? 1 : n * factorial(n - 1);
}

int is_odd(int n);

__attribute__((noinline)) int is_even(int n) {
    return n == 0 ? 1 : is_odd(n - 1);
}

__attribute__((noinline)) int is_odd(int n) {
    return n == 0 ? 0 : is_even(n - 1);
}

int main(void) {
    return factorial(3) - 6 + !is_even(4);
}
