/* However the hooks are bound, they are found.
 * LIBRARY: liblink.so
 * BUILD: gcc -O1
 * BUILD: gcc -O1 -fno-plt
 * BUILD: gcc -O1 -Wl,-z,now
 * BUILD: gcc -O1 -Wl,-z,lazy
 * BUILD: gcc -O1 -Wl,-z,norelro
 * BUILD: gcc -O1 -no-pie -fno-pie
 * BUILD: gcc -O1 -no-pie -fno-pie -fno-plt
 * BUILD: gcc -O1 -Wl,-Bsymbolic
 * BUILD: gcc -O1 -Wl,--hash-style=sysv
 * BUILD: clang -O1 -fno-plt
 * BUILD: clang -O1 -no-pie
 * TREE:
 * └── main (dur) {app}
 *     └── link_outer (dur) {liblink.so}
 *         └── link_inner (dur) {liblink.so}
 */
int link_outer(int n);

#ifdef LIBRARY
__attribute__((noinline)) int link_inner(int n) {
    return n + 1;
}

int link_outer(int n) {
    return link_inner(n) * 2;
}
#else
int main(void) {
    return link_outer(2) != 6;
}
#endif
