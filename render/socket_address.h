/* Addresses of sockets for people: `127.0.0.1:80`, `[::1]:80`, `unix:/run/x`, `unix:@abstract`. */
#ifndef TRACESHIM_RENDER_SOCKET_ADDRESS_H
#define TRACESHIM_RENDER_SOCKET_ADDRESS_H

#include <stddef.h>
#include <stdint.h>

/* The longest: a path of 108 bytes. */
#define TS_SOCKET_ADDRESS_BYTES 128

/*
 * Writes the struct sockaddr of `count` bytes into `text`. Returns 0; -1 when it says no address: too short for its
 * family, a socket without a name, or a family whose addresses have no text (then `text` is the family's name: where
 * count is at least 2, it is never empty).
 */
int ts_socket_address(char *text, const void *bytes, size_t count);

#endif
