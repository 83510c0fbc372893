/* Flags by name, and their values against those of this machine's headers. Cannot find: a flag that nobody listed. */
#include "render/flag_names.h"

#include "collector/hook_signature.h"
#include "render/flag_lists.h"

#include <criterion/criterion.h>
#include <dlfcn.h>
#include <elf.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#if defined(__x86_64__) || defined(__aarch64__)
#define CHECK(name, mask, value)                                                                                       \
    cr_expect_eq((uint32_t)(name), (uint32_t)(value), "%s is %#x", #name, (uint32_t)(name));
/* glibc hides the kernel's bit where every file is large. */
#undef O_LARGEFILE

Test(flag_names, values_are_those_of_the_headers) {
    TS_OPEN_FLAGS(CHECK)
#ifdef __x86_64__
    enum { O_LARGEFILE = 0100000 };
    TS_OPEN_FLAGS_X86_64(CHECK)
#else
    enum { O_LARGEFILE = 0400000 };
    TS_OPEN_FLAGS_AARCH64(CHECK)
#endif
    TS_WHENCE(CHECK)
    TS_PROTECTIONS(CHECK)
    TS_MAP_FLAGS(CHECK)
    TS_AT_FLAGS(CHECK)
    TS_ACCESS_MODES(CHECK)
    TS_FCNTL_COMMANDS(CHECK)
    TS_FLOCK_OPERATIONS(CHECK)
    TS_FAMILIES(CHECK)
    TS_SOCKET_TYPES(CHECK)
    TS_MESSAGE_FLAGS(CHECK)
    TS_SOCKET_OPTIONS(CHECK)
    TS_WAIT_FLAGS(CHECK)
    TS_LOAD_FLAGS(CHECK)
    TS_SIGNALS(CHECK)
}
#endif

static void expect(uint32_t kind, uint32_t value, const char *wanted) {
    char text[TS_FLAG_NAMES_BYTES];
    cr_assert_eq(ts_flag_names(text, kind, value, EM_X86_64), 0);
    cr_expect_str_eq(text, wanted);
}

Test(flag_names, open) {
    expect(TS_HOOK_oflags, 0, "O_RDONLY");
    expect(TS_HOOK_oflags, 02000000, "O_RDONLY|O_CLOEXEC");
    expect(TS_HOOK_oflags, 02 | 0100 | 01000, "O_RDWR|O_CREAT|O_TRUNC");
    expect(TS_HOOK_oflags, 04010000 | 1, "O_WRONLY|O_SYNC");
    expect(TS_HOOK_oflags, 010000 | 1, "O_WRONLY|O_DSYNC");
    expect(TS_HOOK_oflags, 020200000 | 2, "O_RDWR|O_TMPFILE");
    expect(TS_HOOK_oflags, 0200000, "O_RDONLY|O_DIRECTORY");
    expect(TS_HOOK_oflags, 03, "0x3");
    expect(TS_HOOK_oflags, 0x40000000, "O_RDONLY|0x40000000");
}

Test(flag_names, open_of_the_machine_that_recorded) {
    char text[TS_FLAG_NAMES_BYTES];
    ts_flag_names(text, TS_HOOK_oflags, 040000, EM_AARCH64);
    cr_expect_str_eq(text, "O_RDONLY|O_DIRECTORY");
    ts_flag_names(text, TS_HOOK_oflags, 040000, EM_X86_64);
    cr_expect_str_eq(text, "O_RDONLY|O_DIRECT");
}

Test(flag_names, alternatives_are_names_or_decimal) {
    expect(TS_HOOK_whence, 1, "SEEK_CUR");
    expect(TS_HOOK_whence, 17, "17");
    expect(TS_HOOK_whence, UINT32_MAX, "-1");
    expect(TS_HOOK_fcntlcmd, 1030, "F_DUPFD_CLOEXEC");
    expect(TS_HOOK_family, 10, "AF_INET6");
    expect(TS_HOOK_epollop, 3, "EPOLL_CTL_MOD");
    expect(TS_HOOK_advice, 4, "MADV_DONTNEED");
    expect(TS_HOOK_fadvice, 2, "POSIX_FADV_SEQUENTIAL");
    expect(TS_HOOK_shutdown, 1, "SHUT_WR");
}

Test(flag_names, sets) {
    expect(TS_HOOK_prot, 0, "PROT_NONE");
    expect(TS_HOOK_prot, 3, "PROT_READ|PROT_WRITE");
    expect(TS_HOOK_mapflags, 0x22, "MAP_PRIVATE|MAP_ANONYMOUS");
    expect(TS_HOOK_access, 0, "F_OK");
    expect(TS_HOOK_access, 6, "R_OK|W_OK");
    expect(TS_HOOK_socktype, 02000001, "SOCK_STREAM|SOCK_CLOEXEC");
    expect(TS_HOOK_flockop, 6, "LOCK_EX|LOCK_NB");
    expect(TS_HOOK_msgflags, 0, "0");
    expect(TS_HOOK_msgflags, 0x4040, "MSG_DONTWAIT|MSG_NOSIGNAL");
    expect(TS_HOOK_waitflags, 0x80000001, "WNOHANG|__WCLONE");
    expect(TS_HOOK_dlflags, 0x102, "RTLD_NOW|RTLD_GLOBAL");
    expect(TS_HOOK_epollflags, 0, "0");
    expect(TS_HOOK_epollflags, 02000000, "EPOLL_CLOEXEC");
    expect(TS_HOOK_epollevent, 0x80002001, "EPOLLIN|EPOLLRDHUP|EPOLLET");
}

Test(flag_names, signals) {
    expect(TS_HOOK_signal, 15, "SIGTERM");
    expect(TS_HOOK_signal, 0, "0");
    expect(TS_HOOK_signal, 32, "32");
    expect(TS_HOOK_signal, 34, "SIGRTMIN");
    expect(TS_HOOK_signal, 64, "SIGRTMIN+30");
    expect(TS_HOOK_signal, 65, "65");
}

Test(flag_names, other_kinds_have_none) {
    char text[TS_FLAG_NAMES_BYTES];
    cr_expect_eq(ts_flag_names(text, TS_HOOK_int, 1, EM_X86_64), -1);
    cr_expect_eq(ts_flag_names(text, 1000, 1, EM_X86_64), -1);
}

Test(flag_names, the_longest_fits) {
    char text[TS_FLAG_NAMES_BYTES];
    for (uint32_t kind = 0; kind < TS_HOOK_KINDS; kind++)
        if (ts_flag_names(text, kind, UINT32_MAX & ~2u, EM_X86_64) == 0)
            cr_expect_lt(strlen(text), sizeof text - 1, "%s", text);
}
