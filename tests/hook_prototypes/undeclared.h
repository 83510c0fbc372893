/*
 * What libraries export and no header declares: names that older headers called (__xstat before glibc 2.33, __res_query
 * before 2.34), that compilers call (__isoc99_scanf in place of scanf, operator new), and second names. Types by the
 * LSB's core specification and the functions that they stand for.
 */
extern "C" {
int __xstat(int version, const char *path, struct stat *result);
int __xstat64(int version, const char *path, struct stat64 *result);
int __lxstat(int version, const char *path, struct stat *result);
int __lxstat64(int version, const char *path, struct stat64 *result);
int __fxstat(int version, int fd, struct stat *result);
int __fxstat64(int version, int fd, struct stat64 *result);
int __fxstatat(int version, int directory, const char *path, struct stat *result, int flags);
int __fxstatat64(int version, int directory, const char *path, struct stat64 *result, int flags);
int __xmknod(int version, const char *path, mode_t mode, dev_t *device);
int __xmknodat(int version, int directory, const char *path, mode_t mode, dev_t *device);

int _IO_getc(FILE *file);
int _IO_putc(int character, FILE *file);
int __isoc99_scanf(const char *format, ...);
int __isoc99_vscanf(const char *format, va_list arguments);
int __isoc99_fscanf(FILE *file, const char *format, ...);
int __isoc99_vfscanf(FILE *file, const char *format, va_list arguments);

int __pthread_mutex_lock(pthread_mutex_t *mutex);
int __pthread_mutex_trylock(pthread_mutex_t *mutex);
int __pthread_mutex_unlock(pthread_mutex_t *mutex);
int __pthread_rwlock_rdlock(pthread_rwlock_t *lock);
int __pthread_rwlock_tryrdlock(pthread_rwlock_t *lock);
int __pthread_rwlock_wrlock(pthread_rwlock_t *lock);
int __pthread_rwlock_trywrlock(pthread_rwlock_t *lock);
int __pthread_rwlock_unlock(pthread_rwlock_t *lock);

int __res_query(const char *name, int type_class, int type, unsigned char *answer, int size);
int __res_search(const char *name, int type_class, int type, unsigned char *answer, int size);
int __res_send(const unsigned char *query, int query_size, unsigned char *answer, int size);
int __res_nquery(res_state state, const char *name, int type_class, int type, unsigned char *answer, int size);
int __res_nsearch(res_state state, const char *name, int type_class, int type, unsigned char *answer, int size);
int __res_nsend(res_state state, const unsigned char *query, int query_size, unsigned char *answer, int size);

void __stack_chk_fail(void);
void __chk_fail(void);

/* operator new and delete by their mangled names */
void *_Znwm(size_t size);
void *_ZnwmRKSt9nothrow_t(size_t size, const void *nothrow);
void *_ZnwmSt11align_val_t(size_t size, size_t alignment);
void *_ZnwmSt11align_val_tRKSt9nothrow_t(size_t size, size_t alignment, const void *nothrow);
void *_Znam(size_t size);
void *_ZnamRKSt9nothrow_t(size_t size, const void *nothrow);
void *_ZnamSt11align_val_t(size_t size, size_t alignment);
void *_ZnamSt11align_val_tRKSt9nothrow_t(size_t size, size_t alignment, const void *nothrow);
void _ZdlPv(void *address);
void _ZdlPvm(void *address, size_t size);
void _ZdlPvSt11align_val_t(void *address, size_t alignment);
void _ZdlPvmSt11align_val_t(void *address, size_t size, size_t alignment);
void _ZdaPv(void *address);
void _ZdaPvm(void *address, size_t size);
void _ZdaPvSt11align_val_t(void *address, size_t alignment);
void _ZdaPvmSt11align_val_t(void *address, size_t size, size_t alignment);
}
