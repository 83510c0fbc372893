/* Names, versions and definitions of an object's dynamic symbols (System V gABI; GNU hash: the loader's own rules). */
#include "collector/text.h"
#include "preload/elf_object.h"
#include "relocations.h"

#define VERSION_HIDDEN 0x8000
#define VERSION_NUMBER 0x7fff

const char *ts_elf_object_name(const struct ts_elf_object *object, uint32_t index) {
    uint32_t name = object->symbols[index].st_name;
    return name < object->names_bytes ? object->names + name : "";
}

const char *ts_elf_object_version(const struct ts_elf_object *object, uint32_t index) {
    if (!object->version_numbers || !object->versions_needed)
        return NULL;
    uint32_t number = object->version_numbers[index] & VERSION_NUMBER;
    const ElfW(Verneed) *file = object->versions_needed;
    for (unsigned files = 0; number > 1 && files < 65536; files++) {
        const ElfW(Vernaux) *version = (const ElfW(Vernaux) *)((const char *)file + file->vn_aux);
        for (unsigned i = 0; i < file->vn_cnt; i++) {
            if ((version->vna_other & VERSION_NUMBER) == number)
                return version->vna_name < object->names_bytes ? object->names + version->vna_name : NULL;
            version = (const ElfW(Vernaux) *)((const char *)version + version->vna_next);
        }
        if (!file->vn_next)
            break;
        file = (const ElfW(Verneed) *)((const char *)file + file->vn_next);
    }
    return NULL;
}

static int defines_version(const struct ts_elf_object *object, uint32_t number, const char *version) {
    const ElfW(Verdef) *defined = object->versions_defined;
    for (unsigned i = 0; defined && i < 65536; i++) {
        const ElfW(Verdaux) *name = (const ElfW(Verdaux) *)((const char *)defined + defined->vd_aux);
        if ((defined->vd_ndx & VERSION_NUMBER) == number)
            return name->vda_name < object->names_bytes && ts_text_equal(object->names + name->vda_name, version);
        if (!defined->vd_next)
            break;
        defined = (const ElfW(Verdef) *)((const char *)defined + defined->vd_next);
    }
    return 0;
}

static int is_wanted(const struct ts_elf_object *object, uint32_t index, const char *name, const char *version) {
    const ElfW(Sym) *symbol = &object->symbols[index];
    unsigned type = ELF64_ST_TYPE(symbol->st_info), bind = ELF64_ST_BIND(symbol->st_info);
    if (symbol->st_shndx == SHN_UNDEF || !symbol->st_value || bind == STB_LOCAL ||
        (type != STT_FUNC && type != STT_GNU_IFUNC && type != STT_NOTYPE) ||
        !ts_text_equal(ts_elf_object_name(object, index), name))
        return 0;
    if (!object->version_numbers)
        return 1;
    uint32_t number = object->version_numbers[index];
    if (!version || !object->versions_defined)
        return !(number & VERSION_HIDDEN);
    return defines_version(object, number & VERSION_NUMBER, version);
}

static uint32_t gnu_hash_of(const char *name) {
    uint32_t hash = 5381;
    for (; *name; name++)
        hash = hash * 33 + (uint8_t)*name;
    return hash;
}

static uint32_t find_gnu(const struct ts_elf_object *object, const char *name, const char *version) {
    const uint32_t *table = object->gnu_hash;
    uint32_t buckets = table[0], first = table[1], words = table[2], shift = table[3], hash = gnu_hash_of(name);
    const uint64_t *bloom = (const uint64_t *)(table + 4);
    const uint32_t *bucket = (const uint32_t *)(bloom + words), *chain = bucket + buckets;
    if (!buckets || !words)
        return 0;
    uint64_t filter = bloom[hash / 64 % words];
    if (!(filter >> hash % 64 & filter >> (hash >> shift) % 64 & 1))
        return 0;
    for (uint32_t index = bucket[hash % buckets]; index >= first; index++) {
        if ((chain[index - first] | 1) == (hash | 1) && is_wanted(object, index, name, version))
            return index;
        if (chain[index - first] & 1)
            break;
    }
    return 0;
}

static uint32_t find_plain(const struct ts_elf_object *object, const char *name, const char *version) {
    uint32_t buckets = object->hash[0], count = object->hash[1], hash = 0;
    for (const char *at = name; *at; at++) {
        hash = (hash << 4) + (uint8_t)*at;
        hash ^= hash >> 24 & 0xf0;
        hash &= 0x0fffffff;
    }
    const uint32_t *bucket = object->hash + 2, *chain = bucket + buckets;
    uint32_t index = buckets ? bucket[hash % buckets] : 0;
    for (uint32_t seen = 0; index && index < count && seen < count; seen++, index = chain[index])
        if (is_wanted(object, index, name, version))
            return index;
    return 0;
}

uint64_t ts_elf_object_function(const struct ts_elf_object *object, const char *name, const char *version) {
    uint32_t index = object->gnu_hash ? find_gnu(object, name, version)
                     : object->hash   ? find_plain(object, name, version)
                                      : 0;
    if (!index)
        return 0;
    uint64_t address = object->bias + object->symbols[index].st_value;
    return ELF64_ST_TYPE(object->symbols[index].st_info) == STT_GNU_IFUNC ? TS_CALL_RESOLVER(address) : address;
}
