/* Mutates ELF files where it counts: fields of their headers, and bytes of one section, at the same place in the file.
 */
#include "tests/fuzz/fuzz.h"

#include <elf.h>
#include <string.h>

static void repair(uint8_t *data, size_t size) {
    static const uint8_t identity[] = {ELFMAG0, ELFMAG1, ELFMAG2, ELFMAG3, ELFCLASS64, ELFDATA2LSB, EV_CURRENT};
    Elf64_Ehdr header;
    if (size < sizeof header)
        return;
    memcpy(data, identity, sizeof identity);
    memcpy(&header, data, sizeof header);
    if (header.e_machine != EM_AARCH64)
        header.e_machine = EM_X86_64;
    if (header.e_type != ET_EXEC)
        header.e_type = ET_DYN;
    header.e_version = EV_CURRENT;
    header.e_ehsize = sizeof header;
    header.e_phentsize = sizeof(Elf64_Phdr);
    header.e_shentsize = sizeof(Elf64_Shdr);
    memcpy(data, &header, sizeof header);
}

/* The bytes [*at, *at + *bytes) of a section, or of a table of headers; all of the file where that tells none. */
static void choose(struct fuzz_random *random, const uint8_t *data, size_t size, size_t *at, size_t *bytes) {
    Elf64_Ehdr header;
    Elf64_Shdr section;
    uint64_t offset, length;
    *at = 0;
    *bytes = size;
    if (size < sizeof header)
        return;
    memcpy(&header, data, sizeof header);
    uint32_t choice = fuzz_random_below(random, 8);
    if (choice == 0) {
        offset = header.e_phoff;
        length = (uint64_t)header.e_phnum * sizeof(Elf64_Phdr);
    } else if (choice == 1) {
        offset = header.e_shoff;
        length = (uint64_t)header.e_shnum * sizeof section;
    } else {
        if (!header.e_shnum || header.e_shoff > size)
            return;
        uint64_t place = header.e_shoff + fuzz_random_below(random, header.e_shnum) * sizeof section;
        if (place > size || size - place < sizeof section)
            return;
        memcpy(&section, data + place, sizeof section);
        offset = section.sh_offset;
        length = section.sh_size;
    }
    if (offset >= size || length > size - offset || !length)
        return;
    *at = offset;
    *bytes = length;
}

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max_size, unsigned seed) {
    struct fuzz_random random = {seed};
    size_t at, bytes;
    choose(&random, data, size, &at, &bytes);
    if (fuzz_random_below(&random, 2)) {
        for (uint32_t times = 1 + fuzz_random_below(&random, 3); times; times--)
            fuzz_mutate_word(&random, data + at, bytes);
    } else if (at == 0 || bytes == size) {
        size = LLVMFuzzerMutate(data, size, max_size);
    } else {
        LLVMFuzzerMutate(data + at, bytes, bytes); /* never longer: what lies behind stays where it is */
    }
    if (fuzz_random_below(&random, 8))
        repair(data, size);
    return size;
}
