/*
 * Lengths and control flow of x86-64 instructions, by the opcode maps of the Intel 64 manual, volume 2, appendix A: an
 * instruction is prefixes, opcode, ModRM with SIB and displacement, immediate. Registers and operands do not matter
 * here.
 */
#include "render/code.h"

#include <stdbool.h>
#include <string.h>

enum { INSTRUCTION_MOST = 15 };

struct reader {
    const uint8_t *start;
    const uint8_t *at;
    const uint8_t *end;
    bool failed;
    bool operand_16; /* prefix 66 */
    bool address_32; /* prefix 67 */
    bool wide;       /* REX.W */
};

static uint8_t next(struct reader *reader) {
    if (reader->at == reader->end) {
        reader->failed = true;
        return 0;
    }
    return *reader->at++;
}

static void skip(struct reader *reader, size_t bytes) {
    if ((size_t)(reader->end - reader->at) < bytes)
        reader->failed = true;
    else
        reader->at += bytes;
}

static int64_t displacement(struct reader *reader, unsigned bytes) {
    const uint8_t *at = reader->at;
    int32_t value = 0;
    skip(reader, bytes);
    if (reader->failed)
        return 0;
    if (bytes == 1)
        return (int8_t)*at;
    memcpy(&value, at, sizeof value);
    return value;
}

/* One-byte opcodes. */
static bool has_modrm(uint8_t opcode) {
    if (opcode < 0x40)
        return (opcode & 7) < 4;
    switch (opcode) {
    case 0x63:
    case 0x69:
    case 0x6b:
    case 0xc0:
    case 0xc1:
    case 0xc6:
    case 0xc7:
    case 0xf6:
    case 0xf7:
    case 0xfe:
    case 0xff:
        return true;
    default:
        return (opcode >= 0x80 && opcode <= 0x8f) || (opcode >= 0xd0 && opcode <= 0xd3) ||
               (opcode >= 0xd8 && opcode <= 0xdf);
    }
}

static bool is_invalid(uint8_t opcode) {
    if (opcode < 0x40)
        return (opcode & 7) >= 6;
    switch (opcode) {
    case 0x60:
    case 0x61:
    case 0x82:
    case 0x9a:
    case 0xce:
    case 0xd4:
    case 0xd5:
    case 0xd6:
    case 0xea:
        return true;
    default:
        return false;
    }
}

static size_t immediate_of(const struct reader *reader, uint8_t opcode, uint8_t modrm) {
    size_t full = reader->operand_16 && !reader->wide ? 2 : 4;
    if (opcode < 0x40)
        return (opcode & 7) == 4 ? 1 : (opcode & 7) == 5 ? full : 0;
    if ((opcode & 0xf0) == 0xb0)
        return opcode < 0xb8 ? 1 : reader->wide ? 8 : full;
    if (opcode >= 0xa0 && opcode <= 0xa3)
        return reader->address_32 ? 4 : 8;
    switch (opcode) {
    case 0x6a:
    case 0x6b:
    case 0x80:
    case 0x83:
    case 0xa8:
    case 0xc0:
    case 0xc1:
    case 0xc6:
    case 0xcd:
    case 0xe4:
    case 0xe5:
    case 0xe6:
    case 0xe7:
        return 1;
    case 0x68:
    case 0x69:
    case 0x81:
    case 0xa9:
    case 0xc7:
        return full;
    case 0xc2:
    case 0xca:
        return 2;
    case 0xc8:
        return 3;
    case 0xf6:
        return (modrm >> 3 & 7) < 2 ? 1 : 0;
    case 0xf7:
        return (modrm >> 3 & 7) < 2 ? full : 0;
    default:
        return 0;
    }
}

/* The two-byte map, 0F xx, and the same opcodes under VEX and EVEX. */
static bool has_modrm_0f(uint8_t opcode) {
    switch (opcode) {
    case 0x05:
    case 0x06:
    case 0x07:
    case 0x08:
    case 0x09:
    case 0x0b:
    case 0x0e:
    case 0x77:
    case 0xa0:
    case 0xa1:
    case 0xa2:
    case 0xa8:
    case 0xa9:
    case 0xaa:
        return false;
    default:
        return !(opcode >= 0x30 && opcode <= 0x37) && (opcode & 0xf0) != 0x80 && !(opcode >= 0xc8 && opcode <= 0xcf);
    }
}

static bool has_byte_0f(uint8_t opcode) {
    return opcode == 0x0f || (opcode >= 0x70 && opcode <= 0x73) || opcode == 0xa4 || opcode == 0xac || opcode == 0xba ||
           opcode == 0xc2 || (opcode >= 0xc4 && opcode <= 0xc6);
}

/* Returns the ModRM byte; *relative is the displacement of an operand that lies relative to the next instruction. */
static uint8_t read_modrm(struct reader *reader, bool *is_relative, int64_t *relative) {
    uint8_t modrm = next(reader), mode = modrm >> 6, base = modrm & 7;
    *is_relative = false;
    if (mode == 3)
        return modrm;
    if (base == 4)
        base = next(reader) & 7;
    else if (mode == 0 && base == 5)
        *is_relative = true;
    if (mode == 1)
        skip(reader, 1);
    else if (mode == 2 || base == 5)
        *relative = displacement(reader, 4);
    return modrm;
}

static uint8_t skip_prefixes(struct reader *reader) {
    uint8_t byte;
    for (;;) {
        byte = next(reader);
        switch (byte) {
        case 0x66:
            reader->operand_16 = true;
            break;
        case 0x67:
            reader->address_32 = true;
            break;
        case 0x26:
        case 0x2e:
        case 0x36:
        case 0x3e:
        case 0x64:
        case 0x65:
        case 0xf0:
        case 0xf2:
        case 0xf3:
            break;
        default:
            if ((byte & 0xf0) != 0x40)
                return byte;
            reader->wide = byte & 8;
            byte = next(reader);
            return byte;
        }
        if (reader->failed)
            return 0;
    }
}

/* Maps 1, 2 and 3: 0F, 0F 38, 0F 3A. */
static void decode_map(struct reader *reader, unsigned map, uint8_t opcode, uint64_t address,
                       struct ts_code_instruction *instruction) {
    bool is_relative;
    int64_t relative = 0;
    if (map == 1 && (opcode & 0xf0) == 0x80) {
        relative = displacement(reader, 4);
        instruction->kind = TS_CODE_CONDITIONAL;
        instruction->target = address + (uint64_t)(reader->at - reader->start) + (uint64_t)relative;
        return;
    }
    if (map != 1 || has_modrm_0f(opcode))
        read_modrm(reader, &is_relative, &relative);
    if (map == 3 || (map == 1 && has_byte_0f(opcode)))
        skip(reader, 1);
    if (map == 1 && opcode == 0x0b) /* ud2 */
        instruction->kind = TS_CODE_END;
}

static void decode_vector(struct reader *reader, uint8_t prefix, uint64_t address,
                          struct ts_code_instruction *instruction) {
    unsigned map = 1;
    if (prefix == 0xc5) {
        skip(reader, 1);
    } else {
        map = next(reader) & (prefix == 0x62 ? 7 : 0x1f);
        skip(reader, prefix == 0x62 ? 2 : 1);
    }
    decode_map(reader, map, next(reader), address, instruction);
}

/* FF: calls and jumps through a register or memory. */
static void decode_indirect(uint8_t modrm, bool is_relative, uint64_t operand,
                            struct ts_code_instruction *instruction) {
    unsigned operation = modrm >> 3 & 7;
    if (operation == 2 || operation == 3) {
        instruction->kind = TS_CODE_CALL;
        instruction->target = is_relative ? operand | TS_CODE_SLOT : 0;
    } else if (operation == 4 || operation == 5) {
        instruction->kind = TS_CODE_INDIRECT;
    }
}

static void decode_plain(struct reader *reader, uint8_t opcode, uint64_t address,
                         struct ts_code_instruction *instruction) {
    bool is_relative = false;
    int64_t relative = 0;
    if (is_invalid(opcode)) {
        reader->failed = true;
        return;
    }
    bool is_short = (opcode & 0xf0) == 0x70 || (opcode >= 0xe0 && opcode <= 0xe3) || opcode == 0xeb;
    if (is_short || opcode == 0xe8 || opcode == 0xe9) {
        relative = displacement(reader, is_short ? 1 : 4);
        instruction->kind = opcode == 0xe8                     ? TS_CODE_CALL
                            : opcode == 0xe9 || opcode == 0xeb ? TS_CODE_JUMP
                                                               : TS_CODE_CONDITIONAL;
        instruction->target = address + (uint64_t)(reader->at - reader->start) + (uint64_t)relative;
        return;
    }
    uint8_t modrm = has_modrm(opcode) ? read_modrm(reader, &is_relative, &relative) : 0;
    skip(reader, immediate_of(reader, opcode, modrm));
    uint64_t behind = address + (uint64_t)(reader->at - reader->start);
    if (opcode == 0xff)
        decode_indirect(modrm, is_relative, behind + (uint64_t)relative, instruction);
    else if (opcode == 0xc2 || opcode == 0xc3 || opcode == 0xca || opcode == 0xcb || opcode == 0xcf || opcode == 0xf4)
        instruction->kind = TS_CODE_END; /* ret, iret, hlt */
}

int ts_code_decode_x86_64(const uint8_t *code, size_t bytes, uint64_t address,
                          struct ts_code_instruction *instruction) {
    struct reader reader = {
        .start = code, .at = code, .end = code + (bytes < INSTRUCTION_MOST ? bytes : INSTRUCTION_MOST)};
    *instruction = (struct ts_code_instruction){.kind = TS_CODE_OTHER};
    uint8_t opcode = skip_prefixes(&reader);
    if (opcode == 0x0f) {
        opcode = next(&reader);
        unsigned map = opcode == 0x38 ? 2 : opcode == 0x3a ? 3 : 1;
        decode_map(&reader, map, map == 1 ? opcode : next(&reader), address, instruction);
    } else if (opcode == 0xc4 || opcode == 0xc5 || opcode == 0x62) {
        decode_vector(&reader, opcode, address, instruction);
    } else {
        decode_plain(&reader, opcode, address, instruction);
    }
    instruction->bytes = (uint32_t)(reader.at - reader.start);
    return reader.failed ? -1 : 0;
}
