/*
 * fault CALL NUMBER once|on COUNT-FILE PROGRAM [ARGUMENT...]: runs PROGRAM and makes the NUMBERth system call CALL that
 * libtraceshim.so makes fail (0: none; `on`: all later ones too), in any of its threads and forked children. Writes how
 * many there were to COUNT-FILE. Ends as the program ends; 77 when this machine does not let it trace. For x86-64.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <unistd.h>

static const struct call {
    const char *name;
    long number;
    int error;
} calls[] = {
    {"open", SYS_open, EACCES},
    {"openat", SYS_openat, EACCES},
    {"ftruncate", SYS_ftruncate, EFBIG},
    {"fallocate", SYS_fallocate, ENOSPC},
    {"mmap", SYS_mmap, ENOMEM},
    {"mremap", SYS_mremap, ENOMEM},
    {"munmap", SYS_munmap, EINVAL},
    {"madvise", SYS_madvise, EINVAL},
    {"mprotect", SYS_mprotect, EACCES},
    {"pwrite", SYS_pwrite64, EIO},
    {"write", SYS_write, EIO},
    {"read", SYS_read, EIO},
    {"pread", SYS_pread64, EIO},
    {"fstat", SYS_fstat, EIO},
    {"stat", SYS_stat, EACCES},
    {"statfs", SYS_statfs, EIO},
    {"fstatfs", SYS_fstatfs, EIO},
    {"newfstatat", SYS_newfstatat, EACCES},
    {"mkdir", SYS_mkdir, EACCES},
    {"mkdirat", SYS_mkdirat, EACCES},
    {"unlink", SYS_unlink, EACCES},
    {"rename", SYS_rename, EACCES},
    {"fchmod", SYS_fchmod, EPERM},
    {"ioctl", SYS_ioctl, ENOTTY},
    {"getdents64", SYS_getdents64, EIO},
    {"readlink", SYS_readlink, EACCES},
    {"flock", SYS_flock, ENOLCK},
    {"fcntl", SYS_fcntl, EINVAL},
    {"clone", SYS_clone, EAGAIN},
    {"prlimit64", SYS_prlimit64, EPERM},
    {"rt_sigprocmask", SYS_rt_sigprocmask, EINVAL},
    {"close", SYS_close, EIO},
    {"getcwd", SYS_getcwd, ENOENT},
    {"getrandom", SYS_getrandom, EAGAIN},
    {"prctl", SYS_prctl, EINVAL},
    {"sigaltstack", SYS_sigaltstack, EFAULT},
    {"readlinkat", SYS_readlinkat, EACCES},
    {"unlinkat", SYS_unlinkat, EACCES},
    {"execve", SYS_execve, EACCES},
    {"wait4", SYS_wait4, ECHILD},
    {"dup3", SYS_dup3, EBADF},
    {"close_range", SYS_close_range, ENOSYS},
    {"rt_sigaction", SYS_rt_sigaction, EINVAL},
};

/* Tasks whose call was turned into a failing one: their return is still to come. */
static struct pending {
    pid_t task;
    int error;
} pending[256];

static struct pending *pending_of(pid_t task) {
    for (size_t i = 0; i < 256; i++)
        if (pending[i].task == task)
            return &pending[i];
    return NULL;
}

static int is_in_shim(pid_t task, uint64_t address) {
    char path[64], line[4200];
    int found = 0;
    snprintf(path, sizeof path, "/proc/%d/maps", task);
    FILE *maps = fopen(path, "r");
    while (maps != NULL && !found && fgets(line, sizeof line, maps) != NULL) {
        unsigned long low, high;
        if (sscanf(line, "%lx-%lx", &low, &high) == 2 && address >= low && address < high)
            found = strstr(line, "libtraceshim.so") != NULL;
    }
    if (maps != NULL)
        fclose(maps);
    return found;
}

/* The call is about to be made: lets it fail, by making one that does not exist in its place. */
static void fail_call(pid_t task, int error) {
    struct user_regs_struct registers;
    struct pending *slot = pending_of(0);
    if (slot == NULL || ptrace(PTRACE_GETREGS, task, NULL, &registers) != 0)
        return;
    registers.orig_rax = (unsigned long)-1;
    ptrace(PTRACE_SETREGS, task, NULL, &registers);
    *slot = (struct pending){task, error};
}

static void finish_call(pid_t task, struct pending *slot) {
    struct user_regs_struct registers;
    if (ptrace(PTRACE_GETREGS, task, NULL, &registers) == 0) {
        registers.rax = (unsigned long)-slot->error;
        ptrace(PTRACE_SETREGS, task, NULL, &registers);
    }
    *slot = (struct pending){0, 0};
}

struct plan {
    const struct call *call;
    int number;
    int stays;
    int count;
};

static void at_system_call(pid_t task, struct plan *plan) {
    struct __ptrace_syscall_info info;
    if (ptrace(PTRACE_GET_SYSCALL_INFO, task, sizeof info, &info) <= 0)
        return;
    struct pending *slot = pending_of(task);
    if (info.op == PTRACE_SYSCALL_INFO_EXIT && slot != NULL)
        finish_call(task, slot);
    if (info.op != PTRACE_SYSCALL_INFO_ENTRY || (long)info.entry.nr != plan->call->number ||
        !is_in_shim(task, info.instruction_pointer))
        return;
    plan->count++;
    if (plan->number != 0 && (plan->count == plan->number || (plan->count > plan->number && plan->stays)))
        fail_call(task, plan->call->error);
}

/* Follows everything that the program starts; its own wait status. */
static int follow(pid_t program, struct plan *plan) {
    int result = 0;
    for (;;) {
        int status, signal_number = 0;
        pid_t task = waitpid(-1, &status, __WALL);
        if (task < 0)
            return result;
        if (!WIFSTOPPED(status)) {
            if (task == program)
                result = status;
            continue;
        }
        if (WSTOPSIG(status) == (SIGTRAP | 0x80))
            at_system_call(task, plan);
        else if (status >> 16 == 0 && WSTOPSIG(status) != SIGSTOP)
            signal_number = WSTOPSIG(status);
        ptrace(PTRACE_SYSCALL, task, NULL, (void *)(uintptr_t)signal_number);
    }
}

static void write_count(const char *path, int count) {
    FILE *out = fopen(path, "w");
    if (out == NULL)
        return;
    fprintf(out, "%d\n", count);
    fclose(out);
}

int main(int argc, char **argv) {
    struct plan plan = {NULL, argc > 5 ? atoi(argv[2]) : 0, argc > 5 && strcmp(argv[3], "on") == 0, 0};
    for (size_t i = 0; argc > 5 && i < sizeof calls / sizeof *calls; i++)
        if (strcmp(calls[i].name, argv[1]) == 0)
            plan.call = &calls[i];
    if (plan.call == NULL) {
        fprintf(stderr, "usage: fault CALL NUMBER once|on COUNT-FILE PROGRAM [ARGUMENT...]\n");
        return 2;
    }
    pid_t program = fork();
    if (program == 0) {
        const char *library = getenv("FAULT_PRELOAD");
        if (ptrace(PTRACE_TRACEME, 0, NULL, NULL) != 0)
            _exit(77);
        raise(SIGSTOP);
        if (library != NULL)
            setenv("LD_PRELOAD", library, 1);
        execv(argv[5], argv + 5);
        _exit(127);
    }
    int status;
    if (program < 0 || waitpid(program, &status, 0) != program || !WIFSTOPPED(status))
        return 77;
    ptrace(PTRACE_SETOPTIONS, program, NULL,
           (void *)(uintptr_t)(PTRACE_O_TRACESYSGOOD | PTRACE_O_TRACECLONE | PTRACE_O_TRACEFORK | PTRACE_O_TRACEVFORK |
                               PTRACE_O_TRACEEXEC | PTRACE_O_EXITKILL));
    ptrace(PTRACE_SYSCALL, program, NULL, NULL);
    status = follow(program, &plan);
    write_count(argv[4], plan.count);
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}
