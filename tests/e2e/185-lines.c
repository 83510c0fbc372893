/*
 * For 185-lines.sh and 189-branches.sh: statements of every kind that make blocks, each executed a number of times of
 * its own. The layout is part of it: several blocks on a line, a condition on several.
 */
/* clang-format off */
#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct node {
    int key;
    struct node *left, *right;
};

static struct node *insert(struct node *root, int key) {
    if (!root) {
        root = calloc(1, sizeof *root);
        if (!root)
            abort();
        root->key = key;
        return root;
    }
    if (key < root->key)
        root->left = insert(root->left, key);
    else if (key > root->key)
        root->right = insert(root->right, key);
    else
        return root;
    return root;
}

static int depth(const struct node *root) {
    int left, right;
    if (!root)
        return 0;
    left = depth(root->left);
    right = depth(root->right);
    return 1 + (left > right ? left : right);
}

static void release(struct node *root)
{
    if (root) {
        release(root->left);
        release(root->right);
        free(root);
    }
}

static int classify(int value) {
    int result = 0;
    switch (value % 9) {
    case 0:
        result = 1;
        break;
    case 1:
    case 2:
        result = 2;
        /* fall through */
    case 3:
        result += 3;
        break;
    case 5: result = 5; break;
    case 6: result = 6; break;
    case 7:
        return -1;
    default:
        result = 9;
    }
    return result;
}

static int sparse(int value) {
    switch (value) {
    case 10: return 1;
    case 1000: return 2;
    case 100000: return 3;
    default: return 0;
    }
}

static unsigned collatz(unsigned n) {
    unsigned steps = 0;
    while (n != 1) {
        n = n % 2 ? 3 * n + 1 : n / 2;
        steps++;
    }
    return steps;
}

static int search(const int *values, int count, int wanted) {
    int low = 0, high = count;
    do {
        int middle = (low + high) / 2;
        if (values[middle] == wanted)
            return middle;
        if (values[middle] < wanted)
            low = middle + 1;
        else
            high = middle;
    } while (low < high);
    return -1;
}

static int logic(int a, int b, int c) {
    int count = 0;
    if (a && b)
        count++;
    if (a || b || c)
        count += 2;
    if ((a && b) || (b && c))
        count += 4;
    if (!a && !(b || c)) count += 8;
    count += a ? b ? 1 : 2 : c ? 3 : 4;
    return a && b
        && c ? count : -count;
}

static int loops(int n) {
    int total = 0;
    for (int i = 0; i < n; i++)
        for (int j = i; j < n; j++)
            total += i * j;
    for (int i = 0; i < n; i++) {
        if (i % 3 == 0)
            continue;
        if (i > 7)
            break;
        total -= i;
    }
    for (int i = 0; i < 3; i++) total++;
    for (int i = 0; i < 2; i++) for (int j = 0; j < 3; j++) total += j;
    int k = n;
    while (k > 0) k--;
    for (;;) {
        if (++k > 4)
            goto done;
        if (k == 2)
            goto again;
        total += 1;
    again:
        total += 2;
    }
done:
    return total;
}

static jmp_buf place;

static int guarded(int n) {
    if (setjmp(place) == 0) {
        if (n > 2)
            longjmp(place, 1);
        return n;
    }
    return -n;
}

#define MAX(a, b) ((a) > (b) ? (a) : (b))
static int macros(int a, int b) {
    int most = MAX(a, b); most = MAX(most, 3);
    return most;
}

static void words(char *text) {
    char *rest = text;
    int count = 0;
    while (*rest) {
        while (*rest == ' ') rest++;
        if (!*rest)
            break;
        count++;
        while (*rest && *rest != ' ')
            rest++;
    }
    printf("%d words\n", count);
}

static int (*const table[])(int) = {classify, sparse};

static int never(int n) {
    if (n)
        return 1;
    return 2;
}

int main(int argc, char **argv) {
    struct node *root = NULL;
    int values[50], sum = 0;
    char text[] = "  the quick brown fox  jumps ";
    (void)argv;
    for (int i = 0; i < 50; i++) {
        values[i] = 2 * i;
        root = insert(root, i * 37 % 41);
    }
    printf("depth %d\n", depth(root));
    release(root);
    for (int i = 0; i < 40; i++)
        sum += classify(i);
    for (unsigned i = 1; i < 30; i++)
        sum += (int)collatz(i);
    for (int i = 0; i < 20; i++)
        sum += search(values, 50, 7 * i);
    for (int i = 0; i < 8; i++)
        sum += logic(i & 1, i & 2, i & 4);
    sum += loops(12) + loops(3);
    for (int i = 0; i < 6; i++)
        sum += guarded(i) + macros(i, 4) + table[i % 2](10);
    words(text);
    if (argc > 5)
        sum += never(argc);
    printf("%d %d %d\n", sum, sparse(1000), sparse(7));
    return 0;
}
