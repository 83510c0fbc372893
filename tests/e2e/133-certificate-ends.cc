// 40 exceptions through 3 frames; 10 of them are thrown on by a handler through another. Part of
// 133-certificate-ends.sh.
__attribute__((noinline)) static void third() {
    throw 1;
}

__attribute__((noinline)) static void second() {
    third();
    __asm__ volatile("");
}

__attribute__((noinline)) static void first() {
    second();
    __asm__ volatile("");
}

__attribute__((noinline)) static void again() {
    try {
        first();
    } catch (int) {
        throw;
    }
}

int main() {
    int caught = 0;
    for (int i = 0; i < 40; i++) {
        try {
            if (i < 10)
                again();
            else
                first();
        } catch (int) {
            caught++;
        }
    }
    return caught != 40;
}
