/*
 * Names of numbers that system calls take, as Linux defines them (uapi headers: asm-generic/fcntl.h, linux/socket.h,
 * asm-generic/mman-common.h, ...): X(name, mask, value). A name holds when the number's bits under `mask` are `value`;
 * its bits are then used up, so wider masks come before narrower ones, and of a field of several bits the value 0
 * first.
 *
 * The values are those of x86-64 and aarch64 whatever machine renders; where the two differ, there are two lists.
 */
#ifndef TRACESHIM_RENDER_FLAG_LISTS_H
#define TRACESHIM_RENDER_FLAG_LISTS_H

/* A flag of one bit, or of several that belong together. */
#define TS_BITS(X, name, value) X(name, value, value)

#define TS_OPEN_FLAGS(X)                                                                                               \
    X(O_RDONLY, 03, 0)                                                                                                 \
    X(O_WRONLY, 03, 01)                                                                                                \
    X(O_RDWR, 03, 02)                                                                                                  \
    TS_BITS(X, O_CREAT, 0100)                                                                                          \
    TS_BITS(X, O_EXCL, 0200)                                                                                           \
    TS_BITS(X, O_NOCTTY, 0400)                                                                                         \
    TS_BITS(X, O_TRUNC, 01000)                                                                                         \
    TS_BITS(X, O_APPEND, 02000)                                                                                        \
    TS_BITS(X, O_NONBLOCK, 04000)                                                                                      \
    TS_BITS(X, O_SYNC, 04010000)                                                                                       \
    TS_BITS(X, O_DSYNC, 010000)                                                                                        \
    TS_BITS(X, O_ASYNC, 020000)                                                                                        \
    TS_BITS(X, O_NOATIME, 01000000)                                                                                    \
    TS_BITS(X, O_CLOEXEC, 02000000)                                                                                    \
    TS_BITS(X, O_PATH, 010000000)

#define TS_OPEN_FLAGS_X86_64(X)                                                                                        \
    TS_BITS(X, O_TMPFILE, 020200000)                                                                                   \
    TS_BITS(X, O_DIRECT, 040000)                                                                                       \
    TS_BITS(X, O_LARGEFILE, 0100000)                                                                                   \
    TS_BITS(X, O_DIRECTORY, 0200000)                                                                                   \
    TS_BITS(X, O_NOFOLLOW, 0400000)

#define TS_OPEN_FLAGS_AARCH64(X)                                                                                       \
    TS_BITS(X, O_TMPFILE, 020040000)                                                                                   \
    TS_BITS(X, O_DIRECTORY, 040000)                                                                                    \
    TS_BITS(X, O_NOFOLLOW, 0100000)                                                                                    \
    TS_BITS(X, O_DIRECT, 0200000)                                                                                      \
    TS_BITS(X, O_LARGEFILE, 0400000)

#define TS_WHENCE(X)                                                                                                   \
    X(SEEK_SET, -1, 0)                                                                                                 \
    X(SEEK_CUR, -1, 1)                                                                                                 \
    X(SEEK_END, -1, 2)                                                                                                 \
    X(SEEK_DATA, -1, 3)                                                                                                \
    X(SEEK_HOLE, -1, 4)

#define TS_PROTECTIONS(X)                                                                                              \
    X(PROT_NONE, -1, 0)                                                                                                \
    TS_BITS(X, PROT_READ, 1)                                                                                           \
    TS_BITS(X, PROT_WRITE, 2)                                                                                          \
    TS_BITS(X, PROT_EXEC, 4)                                                                                           \
    TS_BITS(X, PROT_GROWSDOWN, 0x01000000)                                                                             \
    TS_BITS(X, PROT_GROWSUP, 0x02000000)

#define TS_MAP_FLAGS(X)                                                                                                \
    X(MAP_SHARED, 0xf, 1)                                                                                              \
    X(MAP_PRIVATE, 0xf, 2)                                                                                             \
    X(MAP_SHARED_VALIDATE, 0xf, 3)                                                                                     \
    TS_BITS(X, MAP_FIXED, 0x10)                                                                                        \
    TS_BITS(X, MAP_ANONYMOUS, 0x20)                                                                                    \
    TS_BITS(X, MAP_GROWSDOWN, 0x100)                                                                                   \
    TS_BITS(X, MAP_DENYWRITE, 0x800)                                                                                   \
    TS_BITS(X, MAP_EXECUTABLE, 0x1000)                                                                                 \
    TS_BITS(X, MAP_LOCKED, 0x2000)                                                                                     \
    TS_BITS(X, MAP_NORESERVE, 0x4000)                                                                                  \
    TS_BITS(X, MAP_POPULATE, 0x8000)                                                                                   \
    TS_BITS(X, MAP_NONBLOCK, 0x10000)                                                                                  \
    TS_BITS(X, MAP_STACK, 0x20000)                                                                                     \
    TS_BITS(X, MAP_HUGETLB, 0x40000)                                                                                   \
    TS_BITS(X, MAP_SYNC, 0x80000)                                                                                      \
    TS_BITS(X, MAP_FIXED_NOREPLACE, 0x100000)

/* 0x200 is AT_EACCESS for faccessat, AT_REMOVEDIR for unlinkat. */
#define TS_AT_FLAGS(X)                                                                                                 \
    TS_BITS(X, AT_SYMLINK_NOFOLLOW, 0x100)                                                                             \
    TS_BITS(X, AT_REMOVEDIR, 0x200)                                                                                    \
    TS_BITS(X, AT_SYMLINK_FOLLOW, 0x400)                                                                               \
    TS_BITS(X, AT_NO_AUTOMOUNT, 0x800)                                                                                 \
    TS_BITS(X, AT_EMPTY_PATH, 0x1000)                                                                                  \
    TS_BITS(X, AT_STATX_FORCE_SYNC, 0x2000)                                                                            \
    TS_BITS(X, AT_STATX_DONT_SYNC, 0x4000)                                                                             \
    TS_BITS(X, AT_RECURSIVE, 0x8000)

#define TS_ACCESS_MODES(X)                                                                                             \
    X(F_OK, -1, 0)                                                                                                     \
    TS_BITS(X, R_OK, 4)                                                                                                \
    TS_BITS(X, W_OK, 2)                                                                                                \
    TS_BITS(X, X_OK, 1)

#define TS_FCNTL_COMMANDS(X)                                                                                           \
    X(F_DUPFD, -1, 0)                                                                                                  \
    X(F_GETFD, -1, 1)                                                                                                  \
    X(F_SETFD, -1, 2)                                                                                                  \
    X(F_GETFL, -1, 3)                                                                                                  \
    X(F_SETFL, -1, 4)                                                                                                  \
    X(F_GETLK, -1, 5)                                                                                                  \
    X(F_SETLK, -1, 6)                                                                                                  \
    X(F_SETLKW, -1, 7)                                                                                                 \
    X(F_SETOWN, -1, 8)                                                                                                 \
    X(F_GETOWN, -1, 9)                                                                                                 \
    X(F_SETSIG, -1, 10)                                                                                                \
    X(F_GETSIG, -1, 11)                                                                                                \
    X(F_SETOWN_EX, -1, 15)                                                                                             \
    X(F_GETOWN_EX, -1, 16)                                                                                             \
    X(F_OFD_GETLK, -1, 36)                                                                                             \
    X(F_OFD_SETLK, -1, 37)                                                                                             \
    X(F_OFD_SETLKW, -1, 38)                                                                                            \
    X(F_SETLEASE, -1, 1024)                                                                                            \
    X(F_GETLEASE, -1, 1025)                                                                                            \
    X(F_NOTIFY, -1, 1026)                                                                                              \
    X(F_DUPFD_CLOEXEC, -1, 1030)                                                                                       \
    X(F_SETPIPE_SZ, -1, 1031)                                                                                          \
    X(F_GETPIPE_SZ, -1, 1032)                                                                                          \
    X(F_ADD_SEALS, -1, 1033)                                                                                           \
    X(F_GET_SEALS, -1, 1034)                                                                                           \
    X(F_GET_RW_HINT, -1, 1035)                                                                                         \
    X(F_SET_RW_HINT, -1, 1036)                                                                                         \
    X(F_GET_FILE_RW_HINT, -1, 1037)                                                                                    \
    X(F_SET_FILE_RW_HINT, -1, 1038)

#define TS_FLOCK_OPERATIONS(X)                                                                                         \
    TS_BITS(X, LOCK_SH, 1)                                                                                             \
    TS_BITS(X, LOCK_EX, 2)                                                                                             \
    TS_BITS(X, LOCK_UN, 8)                                                                                             \
    TS_BITS(X, LOCK_NB, 4)

#define TS_FAMILIES(X)                                                                                                 \
    X(AF_UNSPEC, -1, 0)                                                                                                \
    X(AF_UNIX, -1, 1)                                                                                                  \
    X(AF_INET, -1, 2)                                                                                                  \
    X(AF_AX25, -1, 3)                                                                                                  \
    X(AF_IPX, -1, 4)                                                                                                   \
    X(AF_APPLETALK, -1, 5)                                                                                             \
    X(AF_X25, -1, 9)                                                                                                   \
    X(AF_INET6, -1, 10)                                                                                                \
    X(AF_KEY, -1, 15)                                                                                                  \
    X(AF_NETLINK, -1, 16)                                                                                              \
    X(AF_PACKET, -1, 17)                                                                                               \
    X(AF_RDS, -1, 21)                                                                                                  \
    X(AF_PPPOX, -1, 24)                                                                                                \
    X(AF_LLC, -1, 26)                                                                                                  \
    X(AF_IB, -1, 27)                                                                                                   \
    X(AF_CAN, -1, 29)                                                                                                  \
    X(AF_TIPC, -1, 30)                                                                                                 \
    X(AF_BLUETOOTH, -1, 31)                                                                                            \
    X(AF_ALG, -1, 38)                                                                                                  \
    X(AF_NFC, -1, 39)                                                                                                  \
    X(AF_VSOCK, -1, 40)                                                                                                \
    X(AF_KCM, -1, 41)                                                                                                  \
    X(AF_QIPCRTR, -1, 42)                                                                                              \
    X(AF_SMC, -1, 43)                                                                                                  \
    X(AF_XDP, -1, 44)

#define TS_SOCKET_TYPES(X)                                                                                             \
    X(SOCK_STREAM, 0xf, 1)                                                                                             \
    X(SOCK_DGRAM, 0xf, 2)                                                                                              \
    X(SOCK_RAW, 0xf, 3)                                                                                                \
    X(SOCK_RDM, 0xf, 4)                                                                                                \
    X(SOCK_SEQPACKET, 0xf, 5)                                                                                          \
    X(SOCK_DCCP, 0xf, 6)                                                                                               \
    X(SOCK_PACKET, 0xf, 10)                                                                                            \
    TS_BITS(X, SOCK_NONBLOCK, 04000)                                                                                   \
    TS_BITS(X, SOCK_CLOEXEC, 02000000)

#define TS_MESSAGE_FLAGS(X)                                                                                            \
    TS_BITS(X, MSG_OOB, 1)                                                                                             \
    TS_BITS(X, MSG_PEEK, 2)                                                                                            \
    TS_BITS(X, MSG_DONTROUTE, 4)                                                                                       \
    TS_BITS(X, MSG_CTRUNC, 8)                                                                                          \
    TS_BITS(X, MSG_TRUNC, 0x20)                                                                                        \
    TS_BITS(X, MSG_DONTWAIT, 0x40)                                                                                     \
    TS_BITS(X, MSG_EOR, 0x80)                                                                                          \
    TS_BITS(X, MSG_WAITALL, 0x100)                                                                                     \
    TS_BITS(X, MSG_FIN, 0x200)                                                                                         \
    TS_BITS(X, MSG_SYN, 0x400)                                                                                         \
    TS_BITS(X, MSG_CONFIRM, 0x800)                                                                                     \
    TS_BITS(X, MSG_RST, 0x1000)                                                                                        \
    TS_BITS(X, MSG_ERRQUEUE, 0x2000)                                                                                   \
    TS_BITS(X, MSG_NOSIGNAL, 0x4000)                                                                                   \
    TS_BITS(X, MSG_MORE, 0x8000)                                                                                       \
    TS_BITS(X, MSG_WAITFORONE, 0x10000)                                                                                \
    TS_BITS(X, MSG_ZEROCOPY, 0x4000000)                                                                                \
    TS_BITS(X, MSG_FASTOPEN, 0x20000000)                                                                               \
    TS_BITS(X, MSG_CMSG_CLOEXEC, 0x40000000)

/* Of level SOL_SOCKET. */
#define TS_SOCKET_OPTIONS(X)                                                                                           \
    X(SO_DEBUG, -1, 1)                                                                                                 \
    X(SO_REUSEADDR, -1, 2)                                                                                             \
    X(SO_TYPE, -1, 3)                                                                                                  \
    X(SO_ERROR, -1, 4)                                                                                                 \
    X(SO_DONTROUTE, -1, 5)                                                                                             \
    X(SO_BROADCAST, -1, 6)                                                                                             \
    X(SO_SNDBUF, -1, 7)                                                                                                \
    X(SO_RCVBUF, -1, 8)                                                                                                \
    X(SO_KEEPALIVE, -1, 9)                                                                                             \
    X(SO_OOBINLINE, -1, 10)                                                                                            \
    X(SO_PRIORITY, -1, 12)                                                                                             \
    X(SO_LINGER, -1, 13)                                                                                               \
    X(SO_REUSEPORT, -1, 15)                                                                                            \
    X(SO_PASSCRED, -1, 16)                                                                                             \
    X(SO_PEERCRED, -1, 17)                                                                                             \
    X(SO_RCVLOWAT, -1, 18)                                                                                             \
    X(SO_SNDLOWAT, -1, 19)                                                                                             \
    X(SO_RCVTIMEO, -1, 20)                                                                                             \
    X(SO_SNDTIMEO, -1, 21)                                                                                             \
    X(SO_BINDTODEVICE, -1, 25)                                                                                         \
    X(SO_ATTACH_FILTER, -1, 26)                                                                                        \
    X(SO_DETACH_FILTER, -1, 27)                                                                                        \
    X(SO_TIMESTAMP, -1, 29)                                                                                            \
    X(SO_ACCEPTCONN, -1, 30)                                                                                           \
    X(SO_PEERSEC, -1, 31)                                                                                              \
    X(SO_SNDBUFFORCE, -1, 32)                                                                                          \
    X(SO_RCVBUFFORCE, -1, 33)                                                                                          \
    X(SO_PASSSEC, -1, 34)                                                                                              \
    X(SO_TIMESTAMPNS, -1, 35)                                                                                          \
    X(SO_MARK, -1, 36)                                                                                                 \
    X(SO_TIMESTAMPING, -1, 37)                                                                                         \
    X(SO_PROTOCOL, -1, 38)                                                                                             \
    X(SO_DOMAIN, -1, 39)                                                                                               \
    X(SO_RXQ_OVFL, -1, 40)                                                                                             \
    X(SO_PEEK_OFF, -1, 42)                                                                                             \
    X(SO_BUSY_POLL, -1, 46)                                                                                            \
    X(SO_INCOMING_CPU, -1, 49)                                                                                         \
    X(SO_ATTACH_BPF, -1, 50)                                                                                           \
    X(SO_PEERGROUPS, -1, 59)                                                                                           \
    X(SO_ZEROCOPY, -1, 60)

#define TS_WAIT_FLAGS(X)                                                                                               \
    TS_BITS(X, WNOHANG, 1)                                                                                             \
    TS_BITS(X, WUNTRACED, 2)                                                                                           \
    TS_BITS(X, WEXITED, 4)                                                                                             \
    TS_BITS(X, WCONTINUED, 8)                                                                                          \
    TS_BITS(X, WNOWAIT, 0x01000000)                                                                                    \
    TS_BITS(X, __WNOTHREAD, 0x20000000)                                                                                \
    TS_BITS(X, __WALL, 0x40000000)                                                                                     \
    TS_BITS(X, __WCLONE, 0x80000000)

/* Defined by libc, not by Linux; glibc's. */
#define TS_LOAD_FLAGS(X)                                                                                               \
    TS_BITS(X, RTLD_LAZY, 1)                                                                                           \
    TS_BITS(X, RTLD_NOW, 2)                                                                                            \
    TS_BITS(X, RTLD_NOLOAD, 4)                                                                                         \
    TS_BITS(X, RTLD_DEEPBIND, 8)                                                                                       \
    TS_BITS(X, RTLD_GLOBAL, 0x100)                                                                                     \
    TS_BITS(X, RTLD_NODELETE, 0x1000)

#define TS_EPOLL_OPERATIONS(X)                                                                                         \
    X(EPOLL_CTL_ADD, -1, 1)                                                                                            \
    X(EPOLL_CTL_DEL, -1, 2)                                                                                            \
    X(EPOLL_CTL_MOD, -1, 3)

#define TS_EPOLL_FLAGS(X) TS_BITS(X, EPOLL_CLOEXEC, 02000000)

#define TS_EPOLL_EVENTS(X)                                                                                             \
    TS_BITS(X, EPOLLIN, 1)                                                                                             \
    TS_BITS(X, EPOLLPRI, 2)                                                                                            \
    TS_BITS(X, EPOLLOUT, 4)                                                                                            \
    TS_BITS(X, EPOLLERR, 8)                                                                                            \
    TS_BITS(X, EPOLLHUP, 0x10)                                                                                         \
    TS_BITS(X, EPOLLRDNORM, 0x40)                                                                                      \
    TS_BITS(X, EPOLLRDBAND, 0x80)                                                                                      \
    TS_BITS(X, EPOLLWRNORM, 0x100)                                                                                     \
    TS_BITS(X, EPOLLWRBAND, 0x200)                                                                                     \
    TS_BITS(X, EPOLLMSG, 0x400)                                                                                        \
    TS_BITS(X, EPOLLRDHUP, 0x2000)                                                                                     \
    TS_BITS(X, EPOLLEXCLUSIVE, 0x10000000)                                                                             \
    TS_BITS(X, EPOLLWAKEUP, 0x20000000)                                                                                \
    TS_BITS(X, EPOLLONESHOT, 0x40000000)                                                                               \
    TS_BITS(X, EPOLLET, 0x80000000)

#define TS_MEMORY_ADVICE(X)                                                                                            \
    X(MADV_NORMAL, -1, 0)                                                                                              \
    X(MADV_RANDOM, -1, 1)                                                                                              \
    X(MADV_SEQUENTIAL, -1, 2)                                                                                          \
    X(MADV_WILLNEED, -1, 3)                                                                                            \
    X(MADV_DONTNEED, -1, 4)                                                                                            \
    X(MADV_FREE, -1, 8)                                                                                                \
    X(MADV_REMOVE, -1, 9)                                                                                              \
    X(MADV_DONTFORK, -1, 10)                                                                                           \
    X(MADV_DOFORK, -1, 11)                                                                                             \
    X(MADV_MERGEABLE, -1, 12)                                                                                          \
    X(MADV_UNMERGEABLE, -1, 13)                                                                                        \
    X(MADV_HUGEPAGE, -1, 14)                                                                                           \
    X(MADV_NOHUGEPAGE, -1, 15)                                                                                         \
    X(MADV_DONTDUMP, -1, 16)                                                                                           \
    X(MADV_DODUMP, -1, 17)                                                                                             \
    X(MADV_WIPEONFORK, -1, 18)                                                                                         \
    X(MADV_KEEPONFORK, -1, 19)                                                                                         \
    X(MADV_COLD, -1, 20)                                                                                               \
    X(MADV_PAGEOUT, -1, 21)                                                                                            \
    X(MADV_POPULATE_READ, -1, 22)                                                                                      \
    X(MADV_POPULATE_WRITE, -1, 23)                                                                                     \
    X(MADV_DONTNEED_LOCKED, -1, 24)                                                                                    \
    X(MADV_COLLAPSE, -1, 25)                                                                                           \
    X(MADV_HWPOISON, -1, 100)                                                                                          \
    X(MADV_SOFT_OFFLINE, -1, 101)

#define TS_FILE_ADVICE(X)                                                                                              \
    X(POSIX_FADV_NORMAL, -1, 0)                                                                                        \
    X(POSIX_FADV_RANDOM, -1, 1)                                                                                        \
    X(POSIX_FADV_SEQUENTIAL, -1, 2)                                                                                    \
    X(POSIX_FADV_WILLNEED, -1, 3)                                                                                      \
    X(POSIX_FADV_DONTNEED, -1, 4)                                                                                      \
    X(POSIX_FADV_NOREUSE, -1, 5)

#define TS_SHUTDOWN_HOW(X)                                                                                             \
    X(SHUT_RD, -1, 0)                                                                                                  \
    X(SHUT_WR, -1, 1)                                                                                                  \
    X(SHUT_RDWR, -1, 2)

#define TS_SIGNALS(X)                                                                                                  \
    X(SIGHUP, -1, 1)                                                                                                   \
    X(SIGINT, -1, 2)                                                                                                   \
    X(SIGQUIT, -1, 3)                                                                                                  \
    X(SIGILL, -1, 4)                                                                                                   \
    X(SIGTRAP, -1, 5)                                                                                                  \
    X(SIGABRT, -1, 6)                                                                                                  \
    X(SIGBUS, -1, 7)                                                                                                   \
    X(SIGFPE, -1, 8)                                                                                                   \
    X(SIGKILL, -1, 9)                                                                                                  \
    X(SIGUSR1, -1, 10)                                                                                                 \
    X(SIGSEGV, -1, 11)                                                                                                 \
    X(SIGUSR2, -1, 12)                                                                                                 \
    X(SIGPIPE, -1, 13)                                                                                                 \
    X(SIGALRM, -1, 14)                                                                                                 \
    X(SIGTERM, -1, 15)                                                                                                 \
    X(SIGSTKFLT, -1, 16)                                                                                               \
    X(SIGCHLD, -1, 17)                                                                                                 \
    X(SIGCONT, -1, 18)                                                                                                 \
    X(SIGSTOP, -1, 19)                                                                                                 \
    X(SIGTSTP, -1, 20)                                                                                                 \
    X(SIGTTIN, -1, 21)                                                                                                 \
    X(SIGTTOU, -1, 22)                                                                                                 \
    X(SIGURG, -1, 23)                                                                                                  \
    X(SIGXCPU, -1, 24)                                                                                                 \
    X(SIGXFSZ, -1, 25)                                                                                                 \
    X(SIGVTALRM, -1, 26)                                                                                               \
    X(SIGPROF, -1, 27)                                                                                                 \
    X(SIGWINCH, -1, 28)                                                                                                \
    X(SIGIO, -1, 29)                                                                                                   \
    X(SIGPWR, -1, 30)                                                                                                  \
    X(SIGSYS, -1, 31)

#endif
