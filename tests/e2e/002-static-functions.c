/* Static functions have names too: they are in no dynamic symbol table. Row C17.
 * BUILD: gcc -O1
 * BUILD: clang -O1
 * TREE:
 * └── main (dur) {app}
 *     └── hidden (dur) {app}
 *         └── local (dur) {app}
 */
__attribute__((noinline)) static int local(int n) {
    return n * 2;
}

__attribute__((noinline, visibility("hidden"))) int hidden(int n) {
    return local(n) + 1;
}

int main(int argc, char **argv) {
    (void)argv;
    return hidden(argc) - 3;
}
