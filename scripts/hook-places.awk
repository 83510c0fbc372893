# From the lines of hooks_sorted.def the hash table of collector/hook_definitions.c: hash_of there is the same function.
# Linear probing; of a symbol that several packs have, the first line. At most half is taken: most names that no pack has
# are known by an empty place.
BEGIN {
    FS = "[(,]"
    for (character = 1; character < 256; character++)
        number_of[sprintf("%c", character)] = character
}
$2 != symbol[NR - 1] { first[++symbols] = NR }
{ symbol[NR] = $2 }
END {
    places = 16
    while (places < 2 * symbols)
        places *= 2
    print "#define HOOK_PLACES " places
    print "/* 1 + the index into ts_hook_definitions; 0: none */"
    print "static const uint16_t hook_places[HOOK_PLACES] = {"
    for (i = 1; i <= symbols; i++) {
        name = symbol[first[i]]
        hash = 0
        for (at = 1; at <= length(name); at++)
            hash = (hash * 31 + number_of[substr(name, at, 1)]) % places
        while (hash in taken)
            hash = (hash + 1) % places
        taken[hash] = 1
        print "    [" hash "] = " first[i] ","
    }
    print "};"
}
