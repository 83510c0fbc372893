/* Offsets in struct ts_real_functions that assembly uses; preload/real.c asserts them. */
#define TS_REAL_DLOPEN 0
#define TS_REAL_DLSYM 8
#define TS_REAL_MAKECONTEXT 16
#define TS_REAL_PRCTL 24
#define TS_REAL_SYSCALL 32
#define TS_REAL_DLMOPEN 40
#define TS_REAL_DLVSYM 48
