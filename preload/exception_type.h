/*
 * What a thrown C++ object is: its type's mangled name, and what it says, by the layout of run-time type information
 * (Itanium C++ ABI, 2.9). Nothing of the program's is called, what() neither: it is the program's code, which may wait,
 * record calls of its own, or end the program by throwing. The text is read where the standard's exceptions keep it
 * (std::logic_error, std::runtime_error and all that derive from them), and of a thrown string. Every pointer is
 * followed only where it can be read.
 */
#ifndef TRACESHIM_PRELOAD_EXCEPTION_TYPE_H
#define TRACESHIM_PRELOAD_EXCEPTION_TYPE_H

#include <stdint.h>

#define TS_EXCEPTION_TYPE_MOST 400u
#define TS_EXCEPTION_MESSAGE_MOST 500u

/*
 * Writes the name of `type` (std::type_info) and the message of `object`, one after the other, to `text`, which has
 * room for both. *type_bytes, *message_bytes: 0 where nothing can be read. Returns whether the name was longer.
 */
int ts_exception_type_read(uint64_t type, uint64_t object, uint8_t *text, uint32_t *type_bytes,
                           uint32_t *message_bytes);

/* Up to `most` bytes of the string at `address`, to a NUL; *cut: it goes on. 0 where it cannot be read. */
uint32_t ts_exception_text_read(uint64_t address, uint8_t *text, uint32_t most, int *cut);

/* The word at `address`; 0 where it cannot be read. */
uint64_t ts_exception_word_read(uint64_t address);

#endif
