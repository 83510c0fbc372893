#include "render/code.h"

#include <elf.h>

ts_code_decode *ts_code_decoder(unsigned machine) {
    switch (machine) {
    case EM_X86_64:
        return ts_code_decode_x86_64;
    case EM_AARCH64:
        return ts_code_decode_aarch64;
    default:
        return NULL;
    }
}
