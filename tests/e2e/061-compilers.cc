// 100 000 throws through five frames, one of them inlined, one with a destructor. Prints what it called as
// 061-compilers.c does; THROWN_FRAMES_UNWOUND is how many frames of a throw this compiler leaves without an exit hook.
#include <cstdio>

enum { ROUNDS = 100000 };

static long counts[7];

struct Guard {
    __attribute__((noinline)) ~Guard() {
        counts[5]++;
        asm volatile("");
    }
};

#define FRAME extern "C" __attribute__((noinline)) int

FRAME frame5(int n) {
    counts[4]++;
    if (n >= 0)
        throw n;
    return n;
}
extern "C" inline __attribute__((always_inline)) int frame4(int n) {
    counts[3]++;
    return frame5(n) + 1;
}
FRAME frame3(int n) {
    counts[2]++;
    Guard guard;
    return frame4(n) + 1;
}
FRAME frame2(int n) {
    counts[1]++;
    volatile char large[300];
    large[n % 300] = 1;
    return frame3(n) + large[n % 300];
}
FRAME frame1(int n) {
    counts[0]++;
    return frame2(n) + 1;
}
FRAME after(int n) {
    counts[6]++;
    return n + 1;
}

int main() {
    static const char *const names[] = {"frame1", "frame2", "frame3", "frame4", "frame5", "Guard::~Guard", "after"};
    long sum = 0;
    for (int i = 0; i < ROUNDS; i++) {
        try {
            sum += frame1(i);
        } catch (int n) {
            sum += n;
        }
        sum += after(i);
    }
    for (int i = 0; i < 7; i++)
        std::printf("%s %ld\n", names[i], counts[i]);
    std::printf("unwound %ld\n", long(ROUNDS) * THROWN_FRAMES_UNWOUND);
    return sum == 0;
}
