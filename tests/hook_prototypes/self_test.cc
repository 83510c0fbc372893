/* The check finds what is wrong: every kind of finding, once at least. */
#include "tests/hook_prototypes/check.h"

using hook_prototypes::finding;

struct large {
    long words[3];
};

extern "C" {
ssize_t reading(int fd, void *buffer, size_t size);
int opening(const char *path, int flags, ...);
int closing(FILE *file) noexcept;
unsigned counting(unsigned count);
void nothing();
int connecting(int fd, const struct sockaddr *address, socklen_t length);
int accepting(int fd, struct sockaddr *address, socklen_t *length);
int wide(const wchar_t *text);
int eight(int, int, int, int, int, int, int, void *);
int scaled(double factor, int number);
int by_value(struct large, int number);
struct large returning();
}

#define FINDS(which, function, arguments, result)                                                                      \
    static_assert(hook_prototypes::check(hook_prototypes::of<decltype(&::function)>::value, arguments, result) ==      \
                  finding::which)

FINDS(none, reading, "fd:fd buffer:skip size:size", "size|-1 stack=0");
FINDS(none, reading, "fd:fd", "long|<0 cancel stack=0");
FINDS(unknown_kind, reading, "fd:fds", "size|-1 stack=0");
FINDS(unknown_kind, reading, "fd:fd", "sizes|-1 stack=0");
FINDS(argument_kind, reading, "fd:size", "size|-1 stack=0");
FINDS(argument_kind, reading, "fd:ptr", "size|-1 stack=0");
FINDS(argument_kind, reading, "fd:fd buffer:str", "size|-1 stack=0");
FINDS(argument_kind, reading, "fd:fd buffer:skip size:int", "size|-1 stack=0");
FINDS(too_many_arguments, reading, "fd:fd buffer:skip size:size more:skip", "size|-1 stack=0");
FINDS(result_kind, reading, "", "int|-1 stack=0");
FINDS(result_kind, reading, "", "ptr|null stack=0");
FINDS(result_missing, reading, "", "stack=0");
FINDS(none, reading, "", "noreturn stack=0");
FINDS(rule, reading, "", "size|null stack=0");
FINDS(rule, reading, "", "size|0,1 stack=0");
FINDS(stack_missing, reading, "", "size|-1");
FINDS(stack_bytes, reading, "", "size|-1 stack=8");
FINDS(not_variadic, reading, "...", "size|-1 stack=0");

FINDS(none, opening, "path:path flags:oflags mode:omode", "fd|-1 stack=0");
FINDS(none, opening, "path:path flags:oflags ...", "fd|-1");
FINDS(variadic_not_said, opening, "path:path flags:oflags", "fd|-1");
FINDS(argument_kind, opening, "path:path flags:omode", "fd|-1");
FINDS(too_many_arguments, opening, "path:path flags:oflags mode:mode", "fd|-1");

FINDS(none, closing, "file:file", "int|eof stack=0");
FINDS(argument_kind, closing, "file:dir", "int|eof stack=0");
FINDS(rule, counting, "count:uint", "uint|-1 stack=0");
FINDS(none, nothing, "", "stack=0");
FINDS(result_kind, nothing, "", "int stack=0");

FINDS(none, connecting, "fd:fd address:address size:length", "int|-1 stack=0");
FINDS(argument_kind, connecting, "fd:fd address:address_out size:length", "int|-1 stack=0");
FINDS(none, accepting, "fd:fd address:address_out size:length", "int|-1 stack=0");
FINDS(argument_kind, accepting, "fd:fd address:address size:length", "int|-1 stack=0");
FINDS(argument_kind, wide, "text:str", "int|-1 stack=0");

FINDS(none, eight, "", "int stack=16");
FINDS(stack_bytes, eight, "", "int stack=0");
FINDS(argument_kind, scaled, "factor:skip number:int", "int stack=0");
FINDS(none, scaled, "", "int stack=0");
FINDS(argument_kind, by_value, "value:skip number:int", "int stack=24");
FINDS(none, by_value, "", "int stack=24");
FINDS(struct_result, returning, "", "noreturn stack=0");
