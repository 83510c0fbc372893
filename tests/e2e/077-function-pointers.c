/* Says which pointers to one function are equal. 077-function-pointers.sh runs it. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

typedef int function(int);
typedef void *(*allocate)(size_t);

int pointer_own(int n);
int pointer_called(int n);
function *pointer_taken_by_library(int which);
int pointer_is(function *given, int which);
const void *pointer_read_taken_by_library(void);
function *pointer_in_table(int which); /* no extern table: the linker would make a copy of it in the program */

#ifdef LIBRARY
int pointer_own(int n) {
    return n + 1;
}
int pointer_called(int n) {
    return pointer_own(n) + 1;
}
static function *const pointer_table[2] = {pointer_own, pointer_called};

function *pointer_in_table(int which) {
    return pointer_table[which];
}
function *pointer_taken_by_library(int which) {
    return which ? pointer_called : pointer_own;
}
int pointer_is(function *given, int which) {
    return given == (which ? pointer_called : pointer_own) && given == pointer_table[which];
}
const void *pointer_read_taken_by_library(void) {
    return (const void *)read;
}
#else
static function *const own_table[2] = {pointer_own, pointer_called};
static const void *const read_in_table = (const void *)read;

int main(void) {
    function *(*volatile opaque)(int) = pointer_taken_by_library;
    function *const named[2] = {pointer_own, pointer_called};
    static const char *const names[2] = {"pointer_own", "pointer_called"};
    for (int i = 0; i < 2; i++) {
        function *found = (function *)dlsym(RTLD_DEFAULT, names[i]);
        printf("%s: program and library %d, seen by the library %d, tables %d %d, dlsym %d\n", names[i],
               named[i] == opaque(i), pointer_is(named[i], i), named[i] == own_table[i],
               own_table[i] == pointer_in_table(i), found == named[i]);
        printf("results %d %d %d %d\n", named[i](1), own_table[i](2), pointer_in_table(i)(3), found(4));
    }
    printf("called %d\n", pointer_called(5));
    const void *mine = (const void *)read;
    __asm__("" : "+r"(mine));
    printf("read: library %d, table %d, dlsym %d\n", mine == pointer_read_taken_by_library(), mine == read_in_table,
           mine == dlsym(RTLD_DEFAULT, "read"));
    char byte;
    printf("read %zd\n", read(STDIN_FILENO, &byte, 0));
    return 0;
}
#endif
