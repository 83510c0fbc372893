# The driver, the compiler proper, the assembler, the linker and its plugin.
# NEEDS: gcc
# SEES: open64|open execv|execve wait4|waitpid
. "$HERE/lib.sh"
cat >a.c <<'END'
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct node { struct node *next; double value; char name[32]; };

static struct node *push(struct node *list, double value)
{
	struct node *node = malloc(sizeof *node);
	node->next = list;
	node->value = sqrt(value);
	snprintf(node->name, sizeof node->name, "node %g", value);
	return node;
}

int main(void)
{
	struct node *list = NULL;
	for (int i = 0; i < 100; i++) list = push(list, i);
	double sum = 0;
	for (struct node *n = list; n; n = n->next) sum += n->value * strlen(n->name);
	printf("%.3f\n", sum);
	return 5;
}
END
traced gcc -O2 -g -c a.c -o a.o 2>&1
echo "status $?"
sha256sum <a.o
traced gcc -O2 -flto a.c -o a -lm 2>&1
echo "status $?"
sha256sum <a
./a
echo "status $?"
echo 'int main(void) { return x; }' >b.c
traced gcc b.c 2>&1
echo "status $?"
traced ar rc a.a a.o
traced nm a.o
