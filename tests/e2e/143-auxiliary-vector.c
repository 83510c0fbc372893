/* Behind the environment lies what the kernel told the process; programs walk there from main's third argument. And the
 * environment can be changed as ever.
 * BUILD: gcc -O0
 * CALLS: find 3
 * CALLS: main 1
 */
#include <elf.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>

extern char **environ;

static int find(char **environment, uint64_t type) {
    while (*environment != NULL)
        environment++;
    for (const Elf64_auxv_t *entry = (const Elf64_auxv_t *)(environment + 1); entry->a_type != AT_NULL; entry++)
        if (entry->a_type == type)
            return entry->a_un.a_val == getauxval(type);
    return -1;
}

int main(int count, char **arguments, char **environment) {
    (void)arguments;
    printf("arguments %d, environ is main's: %d\n", count, environ == environment);
    printf("found %d %d %d\n", find(environment, AT_PAGESZ), find(environment, AT_RANDOM), find(environ, AT_ENTRY));
    setenv("FIRST", "1", 1);
    putenv("SECOND=2");
    unsetenv("FIRST");
    printf("%s %d\n", getenv("SECOND"), getenv("FIRST") != NULL);
    clearenv();
    printf("empty: %d\n", environ == NULL || *environ == NULL);
    return 0;
}
