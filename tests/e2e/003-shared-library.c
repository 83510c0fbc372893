/* Two objects have a function of the same name; the scope tells them apart. Row A21.
 * LIBRARY: libnames.so
 * BUILD: gcc -O0
 * BUILD: clang -O0
 * TREE:
 * └── main (dur) {app}
 *     ├── prepare (dur) {app}
 *     └── names_run (dur) {libnames.so}
 *         └── prepare (dur) {libnames.so}
 */
int names_run(int n);

static int prepare(int n) {
    return n + 1;
}

#ifdef LIBRARY
int names_run(int n) {
    return prepare(n) * 2;
}
#else
int main(void) {
    return names_run(prepare(1)) != 6;
}
#endif
