/* An inlined function is still a call. Row A1.
 * BUILD: gcc -O2
 * BUILD: clang -O2
 * BUILD: gcc -O3
 * CALLS: square 4
 * TREE:
 * └── main (dur) {app}
 *     ├── sum_of_squares (dur) {app}
 *     │   ├── square (dur) {app}
 *     │   └── square (dur) {app}
 *     └── sum_of_squares (dur) {app}
 *         ├── square (dur) {app}
 *         └── square (dur) {app}
 */
static inline __attribute__((always_inline)) int square(int n) {
    return n * n;
}

static inline __attribute__((always_inline)) int sum_of_squares(int a, int b) {
    return square(a) + square(b);
}

int main(int argc, char **argv) {
    (void)argv;
    return sum_of_squares(argc, 2) + sum_of_squares(argc, 3) - 15;
}
