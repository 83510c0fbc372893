/* The oldest version of libc's symbols on this architecture: dlvsym needs one by name, and dlsym is not ours to call.
 */
#ifndef TRACESHIM_PRELOAD_LIBC_VERSION_H
#define TRACESHIM_PRELOAD_LIBC_VERSION_H

#define TS_LIBC_VERSION "GLIBC_2.17"

#endif
