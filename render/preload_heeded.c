#include "render/preload_heeded.h"

#include "render/memory.h"

#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/xattr.h>
#include <unistd.h>

/* The kernel makes nothing of such bits (execve(2)). */
static bool rights_are_ignored(const char *path) {
    struct statvfs place;
    return prctl(PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0) == 1 || (statvfs(path, &place) == 0 && place.f_flag & ST_NOSUID);
}

/* What makes the kernel start it with other rights than ours (AT_SECURE), which the loader asks. */
enum ts_preload_heeded ts_preload_heeded(const struct ts_elf_file *program, char **why) {
    /* Without the group's right to execute, the bit stands for locks. */
    bool sets_group = (program->mode & S_ISGID) && (program->mode & S_IXGRP);
    bool sets_user = program->mode & S_ISUID, is_ours = true;
    *why = NULL;
    if (program->is_static) {
        *why =
            program->is_go
                ? ts_memory_text("statically linked by Go: LD_PRELOAD has no effect; what it calls of C libraries is "
                                 "seen when it is linked dynamically (CGO_ENABLED=1, -linkmode=external)")
                : ts_memory_text("statically linked%s: LD_PRELOAD has no effect; link it dynamically",
                                 program->is_fixed ? "" : " (static-pie)");
        return TS_PRELOAD_IGNORED;
    }
    if (rights_are_ignored(program->path))
        return TS_PRELOAD_HEEDED;
    if (sets_user || sets_group) {
        is_ours = (!sets_user || program->owner == getuid()) && (!sets_group || program->group == getgid());
        *why = ts_memory_text("%s: the loader ignores LD_PRELOAD for other users; trace a copy without that bit",
                              sets_user ? "set-user-ID" : "set-group-ID");
    } else if (getxattr(program->path, "security.capability", NULL, 0) > 0) {
        is_ours = getuid() == 0;
        *why = ts_memory_text("has file capabilities: the loader ignores LD_PRELOAD for other users than root; trace a "
                              "copy without them, or as root");
    }
    return !*why ? TS_PRELOAD_HEEDED : is_ours ? TS_PRELOAD_HEEDED_HERE : TS_PRELOAD_IGNORED;
}
