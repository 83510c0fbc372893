/* 100 000 exceptions through 5 frames: counts are exact and nothing nests deeper with each throw. Rows A14, C19.
 * g++ calls the exit hook while it unwinds, clang++ does not: there the 5 frames are closed as unwound.
 * BUILD: g++ -O2
 * BUILD: clang++ -O0
 * CALLS: frame1 100000
 * CALLS: frame5 100000
 * CALLS: after 100000
 * PARENT: frame1 < main
 * PARENT: frame5 < frame4
 * PARENT: after < main
 * INFO: unfinished: 0
 */
#include <cstdio>
#include <stdexcept>

#define FRAME extern "C" __attribute__((noinline)) int

FRAME frame5(int n) {
    if (n >= 0)
        throw std::runtime_error("deep");
    return n;
}
FRAME frame4(int n) {
    return frame5(n) + 1;
}
FRAME frame3(int n) {
    return frame4(n) + 1;
}
FRAME frame2(int n) {
    return frame3(n) + 1;
}
FRAME frame1(int n) {
    return frame2(n) + 1;
}
extern "C" __attribute__((noinline)) void after() {
    __asm__ volatile("");
}

int main() {
    int caught = 0;
    for (int i = 0; i < 100000; i++) {
        try {
            frame1(i);
        } catch (const std::runtime_error &) {
            caught++;
        }
        after();
    }
    std::printf("caught %d\n", caught);
    return 0;
}
