/* A failed call is an error by its rule, with the name of its errno; one that has not failed is none.
 * LIBRARY: librule.so
 * BUILD: gcc -O1 -fno-instrument-functions
 * ENV: TRACE_HOOKS=open,fopen,a_*()=int|-1,b_*()=ptr|null,c_*()=long|<0,d_*()=int|errno,e_*()=int|!=0,f_*()=int|0,100
 * TREE:
 * ├── a_minus (dur) {librule.so}
 * ├── a_minus (dur) {librule.so} [ERROR] [error='ENOENT']
 * ├── a_minus (dur) {librule.so} [result=-2]
 * ├── a_minus (dur) {librule.so} [ERROR] [error=4000]
 * ├── b_null (dur) {librule.so} [ERROR] [error='ENOMEM']
 * ├── b_null (dur) {librule.so} [result=0x1234]
 * ├── c_negative (dur) {librule.so} [ERROR] [error='EIO']
 * ├── c_negative (dur) {librule.so} [result=4294967295]
 * ├── c_negative (dur) {librule.so} [result=0]
 * ├── d_errno (dur) {librule.so}
 * ├── d_errno (dur) {librule.so} [ERROR] [error='EBUSY']
 * ├── e_code (dur) {librule.so}
 * ├── e_code (dur) {librule.so} [ERROR] [error=7]
 * ├── f_among (dur) {librule.so}
 * ├── f_among (dur) {librule.so} [result=100]
 * ├── f_among (dur) {librule.so} [ERROR] [error=101]
 * ├── f_among (dur) {librule.so} [ERROR] [error=-1]
 * ├── open (dur) {libc.so.6} [ERROR] [path='/nowhere/at all', flags=O_RDWR|O_CLOEXEC, error='ENOENT']
 * ├── open (dur) {libc.so.6} [ERROR] [path='/nowhere/x', flags=O_RDWR|O_CREAT, mode=0640, error='ENOENT']
 * └── fopen (dur) {libc.so.6} [ERROR] [path='/nowhere/at\nall', mode='r', error='ENOENT']
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>

int a_minus(int result, int error);
void *b_null(const void *result, int error);
long c_negative(long result, int error);
int d_errno(int result, int error);
int e_code(int result, int error);
int f_among(int result, int error);

#ifdef LIBRARY
int a_minus(int result, int error) {
    errno = error;
    return result;
}
void *b_null(const void *result, int error) {
    errno = error;
    return (void *)result;
}
long c_negative(long result, int error) {
    errno = error;
    return result;
}
int d_errno(int result, int error) {
    errno = error;
    return result;
}
int e_code(int result, int error) {
    errno = error;
    return result;
}
int f_among(int result, int error) {
    errno = error;
    return result;
}
#else
int main(void) {
    int sum = a_minus(0, EPERM) + a_minus(-1, ENOENT) + a_minus(-2, EPERM) + a_minus(-1, 4000);
    sum += !b_null(NULL, ENOMEM) + !b_null((void *)0x1234, ENOMEM);
    sum += (int)(c_negative(-5, EIO) + c_negative(0x100000000 - 1, EIO) + c_negative(0, EIO));
    sum += d_errno(0, EPERM) + d_errno(EBUSY, EPERM);
    sum += e_code(0, EPERM) + e_code(7, EPERM);
    sum += f_among(0, EPERM) + f_among(100, EPERM) + f_among(101, EPERM) + f_among(-1, EPERM);
    sum += open("/nowhere/at all", O_RDWR | O_CLOEXEC);
    sum += open("/nowhere/x", O_RDWR | O_CREAT, 0640);
    sum += !fopen("/nowhere/at\nall", "r");
    printf("sum %d, %s\n", sum, strerrorname_np(errno));
    return 0;
}
#endif
