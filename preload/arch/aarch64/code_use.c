#include "code_use.h"

/* Instructions that are looked at for one value, and branches. */
#define INSTRUCTIONS_MOST 512
#define BRANCHES_MOST 16

/*
 * Registers that an instruction reads and writes, a bit each. Where a class has forms that leave one of its fields
 * unused, all fields count as read: at worst a call is taken for a read as well. Numbers of encodings are those of the
 * Arm ARM, "A64 instruction set encoding"; 31 is the zero register or sp.
 */
struct effect {
    uint32_t reads;
    uint32_t writes;
};

static uint32_t field(uint32_t instruction, unsigned shift) {
    return UINT32_C(1) << (instruction >> shift & 31);
}

#define D(instruction) field(instruction, 0)
#define N(instruction) field(instruction, 5)
#define A(instruction) field(instruction, 10) /* the second of a pair too */
#define M(instruction) field(instruction, 16)

/* Data processing (immediate): bits 28-26 are 100. */
static struct effect immediate(uint32_t instruction) {
    uint32_t d = D(instruction);
    switch (instruction >> 23 & 7) {
    case 0:
    case 1: /* adr, adrp */
        return (struct effect){0, d};
    case 5: /* movn, movz; movk keeps the other bits */
        return (struct effect){(instruction >> 29 & 3) == 3 ? d : 0, d};
    case 6: /* bfm keeps the other bits */
        return (struct effect){N(instruction) | d, d};
    case 7: /* extr */
        return (struct effect){N(instruction) | M(instruction), d};
    default:
        return (struct effect){N(instruction), d};
    }
}

/* Data processing (register): bits 27-25 are 101. */
static struct effect two_registers(uint32_t instruction) {
    int three = (instruction >> 24 & 0x1f) == 0x1b;
    int compares = (instruction >> 21 & 0xff) == 0xd2; /* ccmp, ccmn: flags in the place of a register */
    int flags = (instruction >> 21 & 0xff) == 0xd0 && (instruction >> 10 & 0x3f); /* rmif, setf: the same */
    return (struct effect){N(instruction) | M(instruction) | (three ? A(instruction) : 0),
                           compares || flags ? 0 : D(instruction)};
}

/* Loads and stores of one register: bits 29-28 are 11. Bits 23-22: 0 a store, else a load or a prefetch. */
static struct effect memory_one(uint32_t instruction, uint32_t value) {
    int is_scaled = instruction >> 24 & 1, has_register = !is_scaled && (instruction >> 21 & 1);
    int is_prefetch = instruction >> 30 == 3 && (instruction >> 22 & 3) == 2;
    int is_atomic = has_register && (instruction >> 10 & 3) != 2;
    int is_indexed = !is_scaled && !has_register && (instruction >> 10 & 1); /* the base moves */
    uint32_t reads = N(instruction) | (has_register ? M(instruction) : 0);
    uint32_t moved = is_indexed ? N(instruction) : 0;
    if (is_prefetch)
        return (struct effect){reads, 0};
    if (is_atomic || instruction >> 22 & 3)
        return (struct effect){reads, value | moved};
    return (struct effect){reads | value, moved};
}

/* Loads and stores: bit 27 is 1 and bit 25 is 0. Bit 26: the value is a vector. Bits 29-28: the class. */
static struct effect memory(uint32_t instruction) {
    int is_vector = instruction >> 26 & 1;
    uint32_t value = is_vector ? 0 : D(instruction), base = N(instruction);
    uint32_t values = value | (is_vector ? 0 : A(instruction));
    uint32_t moved = instruction >> 23 & 1 ? base : 0;
    switch (instruction >> 28 & 3) {
    case 1:
        if (!(instruction >> 24 & 1)) /* relative to the instruction */
            return (struct effect){0, value};
        break;
    case 2: /* pairs; bit 22: load */
        return instruction >> 22 & 1 ? (struct effect){base, values | moved} : (struct effect){base | values, moved};
    case 3:
        return memory_one(instruction, value);
    default:
        break;
    }
    /* Exclusive, ordered, structures, tags: all that they name. */
    return (struct effect){base | D(instruction) | A(instruction) | M(instruction), 0};
}

/* Vectors, bits 27-25 are 111: conversions from a general register, and copies of one into elements. */
static struct effect vectors(uint32_t instruction) {
    int converts = (instruction & 0x5f20fc00) == 0x1e200000 || (instruction & 0x5f200000) == 0x1e000000;
    int copies = (instruction & 0xbfe0ec00) == 0x0e000c00;
    return (struct effect){converts || copies ? N(instruction) : 0, 0};
}

/* Bits 31-22 are 1101010100. */
static struct effect system_instruction(uint32_t instruction) {
    switch (instruction >> 20 & 3) {
    case 1: /* msr */
        return (struct effect){D(instruction), 0};
    case 3: /* mrs */
        return (struct effect){0, D(instruction)};
    default: /* barriers, hints, maintenance */
        return (struct effect){instruction >> 19 & 1 ? D(instruction) : 0, 0};
    }
}

static struct effect effect_of(uint32_t instruction) {
    if (instruction >> 22 == 0x354)
        return system_instruction(instruction);
    switch (instruction >> 25 & 0xf) {
    case 0x8:
    case 0x9:
        return immediate(instruction);
    case 0x5:
    case 0xd:
        return two_registers(instruction);
    case 0x4:
    case 0x6:
    case 0xc:
    case 0xe:
        return memory(instruction);
    case 0x7:
    case 0xf:
        return vectors(instruction);
    case 0x2: /* scalable vectors: where there may be a general register */
        return (struct effect){D(instruction) | N(instruction) | M(instruction), 0};
    default:
        return (struct effect){UINT32_MAX, 0};
    }
}

/* Registers that a function need not keep; those that hold arguments; those that hold results. */
#define OF_CALLEE UINT32_C(0x4007ffff)
#define ARGUMENTS UINT32_C(0x1ff)
#define RESULTS UINT32_C(0xff)

/* Where the value is followed from, and the registers that hold it there, a bit each. */
struct path {
    const uint32_t *at;
    uint32_t holders;
};

/* Paths that were begun or will be: no path twice, so that loops end. */
struct paths {
    struct path all[BRANCHES_MOST];
    unsigned count;
    unsigned uses;
    unsigned instructions;
};

static void add_path(struct paths *paths, const uint32_t *at, uint32_t holders) {
    for (unsigned i = 0; i < paths->count; i++)
        if (paths->all[i].at == at && paths->all[i].holders == holders)
            return;
    if (paths->count == BRANCHES_MOST)
        paths->uses |= TS_CODE_READS;
    else
        paths->all[paths->count++] = (struct path){at, holders};
}

static const uint32_t *target_of(const uint32_t *at, unsigned shift, unsigned bits) {
    uint32_t sign = UINT32_C(1) << (bits - 1), distance = *at >> shift & ((sign << 1) - 1);
    return at + ((int64_t)(distance ^ sign) - (int64_t)sign);
}

/* A call, or a jump that ends the function: what holds the value beside `target` may be passed. */
static uint32_t pass(struct paths *paths, uint32_t holders, uint32_t target) {
    paths->uses |= holders & target ? TS_CODE_CALLS : 0;
    paths->uses |= holders & ~target & ARGUMENTS ? TS_CODE_READS : 0;
    return holders & ~OF_CALLEE;
}

static void follow(struct paths *paths, struct path path, const uint32_t *start, const uint32_t *end) {
    while (path.holders) {
        if (path.at < start || path.at >= end || paths->instructions++ == INSTRUCTIONS_MOST) {
            paths->uses |= TS_CODE_READS;
            return;
        }
        const uint32_t *at = path.at++;
        uint32_t instruction = *at;
        if ((instruction & 0xfffffc1f) == 0xd61f0000) { /* br */
            pass(paths, path.holders, N(instruction));
            return;
        } else if ((instruction & 0xfffffc1f) == 0xd63f0000) { /* blr */
            path.holders = pass(paths, path.holders, N(instruction));
        } else if (instruction >> 26 == 0x25) { /* bl */
            path.holders = pass(paths, path.holders, 0);
        } else if (instruction >> 26 == 0x05) { /* b */
            add_path(paths, target_of(at, 0, 26), path.holders);
            return;
        } else if ((instruction & 0xfffffc1f) == 0xd65f0000 || (instruction & 0xfffffbff) == 0xd65f0bff) { /* ret */
            paths->uses |= path.holders & RESULTS ? TS_CODE_READS : 0;
            return;
        } else if ((instruction & 0xff000000) == 0x54000000) { /* b.cond */
            add_path(paths, target_of(at, 5, 19), path.holders);
        } else if ((instruction & 0x7e000000) == 0x34000000) { /* cbz, cbnz: whether a weak function is there */
            add_path(paths, target_of(at, 5, 19), path.holders);
        } else if ((instruction & 0x7e000000) == 0x36000000) { /* tbz, tbnz */
            paths->uses |= D(instruction) & path.holders ? TS_CODE_READS : 0;
            add_path(paths, target_of(at, 5, 14), path.holders);
        } else if ((instruction & 0xffe0ffe0) == 0xaa0003e0) { /* mov */
            path.holders &= ~D(instruction);
            path.holders |= M(instruction) & path.holders ? D(instruction) : 0;
        } else if ((instruction & 0xffe0001f) == 0xd4200000 || instruction >> 16 == 0) { /* brk, udf */
            return;
        } else {
            struct effect effect = effect_of(instruction);
            paths->uses |= effect.reads & path.holders ? TS_CODE_READS : 0;
            path.holders &= ~effect.writes;
        }
    }
}

unsigned ts_code_use(const uint32_t *start, const uint32_t *end, const uint32_t *at, uint32_t number) {
    struct paths paths = {.all = {{at, UINT32_C(1) << number}}, .count = 1};
    for (unsigned i = 0; i < paths.count && paths.instructions <= INSTRUCTIONS_MOST; i++)
        follow(&paths, paths.all[i], start, end);
    return paths.uses;
}
