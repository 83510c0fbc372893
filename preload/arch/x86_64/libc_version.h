/* The oldest version of libc's symbols on this architecture: by it libc's dlsym is told from others. */
#ifndef TRACESHIM_PRELOAD_LIBC_VERSION_H
#define TRACESHIM_PRELOAD_LIBC_VERSION_H

#define TS_LIBC_VERSION "GLIBC_2.2.5"

#endif
