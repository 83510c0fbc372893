/*
 * Where in the library code and tables lie. After a system call a processor may have to find every page anew, and the
 * first touch of each costs a fault: so what runs or is used together lies together.
 */
#ifndef TRACESHIM_COLLECTOR_PLACEMENT_H
#define TRACESHIM_COLLECTOR_PLACEMENT_H

/* What runs at each hooked call: one page (preload/arch). */
#define TS_HOT __attribute__((hot))
/* What does for a text or a new descriptor, right behind it; the linker puts .text.sorted there. */
#define TS_WARM __attribute__((section(".text.sorted.warm"), noinline))

/*
 * Tables of which most programs touch little lie behind all other variables, so that those lie on few pages. The
 * linker sorts by name: see the Makefile.
 */
#define TS_LARGE_TABLE __attribute__((section(".bss.tables")))

#endif
