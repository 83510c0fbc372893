/* The library that hooked.c calls: functions that do nothing. */
int callee_none(void);
int callee_value(int value);

int callee_none(void) {
    return 0;
}

int callee_value(int value) {
    return value;
}
