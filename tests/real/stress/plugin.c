/* Loaded and unloaded by stress: its calls are of functions that are soon gone. */
__attribute__((noinline)) static int inner(int n) {
    return n + 1;
}

void plugin_work(void (*step)(unsigned)) {
    for (int i = 0; i < 10; i = inner(i))
        step(1);
}
