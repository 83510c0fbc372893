/*
 * A library of the program's has functions with names of libc's and other parameters, some of them on the stack. The
 * packs select them by their names; they are called as they are.
 * LIBRARY: libother.so
 * BUILD: gcc -O1 -fno-builtin -fno-instrument-functions
 * BUILD: gcc -O2 -fno-builtin -fno-instrument-functions -fno-plt
 * ENV: TRACE_HOOKS=io,net,proc,sync,time,dl
 * CALLS: send 3
 * CALLS: nanosleep 3
 */
int printf(const char *format, ...);
struct block {
    long words[12];
};

#ifdef LIBRARY
double connect(double x, double y) {
    return x * y;
}
long send(long a, long b, long c, long d, long e, long f, long g, long h, long i) {
    return a + b + c + d + e + f + g * 10 + h * 100 + i * 1000;
}
long open(struct block block, long more) {
    return block.words[11] + more;
}
struct block bind(struct block block) {
    block.words[0]++;
    return block;
}
int sem_wait(long a, long b, long c, long d, long e, long f, long g) {
    return (int)(a + b + c + d + e + f + g * 10);
}
long double nanosleep(long double number) {
    return number + 1;
}
int poll(const char *text, long a, long b, long c, long d, long e, long f) {
    return text == (const char *)8 ? (int)(a + b + c + d + e + f * 10) : 0;
}
int mtx_lock(long a, long b, long c, long d, long e, long f) {
    return (int)(a + b + c + d + e * 10 + f * 100);
}
int mtx_trylock(long a) {
    return (int)a;
}
#else
double connect(double x, double y);
long send(long a, long b, long c, long d, long e, long f, long g, long h, long i);
long open(struct block block, long more);
struct block bind(struct block block);
int sem_wait(long a, long b, long c, long d, long e, long f, long g);
long double nanosleep(long double number);
int poll(const char *text, long a, long b, long c, long d, long e, long f);
int mtx_lock(long a, long b, long c, long d, long e, long f);

int main(void) {
    struct block block = {{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12}};
    for (int i = 0; i < 3; i++) {
        block = bind(block);
        printf("%f %ld %ld %ld %ld\n", connect(2, 3), send(1, 2, 3, 4, 5, 6, 7, 8, 9), open(block, 5), block.words[0],
               block.words[11]);
        printf("%d\n", mtx_lock(1, 2, 3, 4, 5, 6));
        printf("%d %Lf %d\n", sem_wait(1, 2, 3, 4, 5, 6, 7), nanosleep(1.5L), poll((const char *)8, 1, 2, 3, 4, 5, 6));
    }
    return 0;
}
#endif
