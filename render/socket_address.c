#include "render/socket_address.h"

#include "collector/hook_signature.h"
#include "render/flag_names.h"

#include <arpa/inet.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* Of Linux, the same on every machine; the port and what follows it are big-endian. */
enum { FAMILY_UNIX = 1, FAMILY_INET = 2, FAMILY_INET6 = 10 };
enum { IN_BYTES = 8, IN6_BYTES = 24, IN6_SCOPE_BYTES = 28, UNIX_PATH = 2, UNIX_PATH_MOST = 108 };

static unsigned port_of(const uint8_t *bytes) {
    return (unsigned)bytes[2] << 8 | bytes[3];
}

static void write_inet6(char *text, const uint8_t *bytes, size_t count) {
    char host[INET6_ADDRSTRLEN];
    uint32_t scope = 0;
    inet_ntop(AF_INET6, bytes + 8, host, sizeof host);
    if (count >= IN6_SCOPE_BYTES)
        memcpy(&scope, bytes + IN6_BYTES, sizeof scope);
    if (scope)
        snprintf(text, TS_SOCKET_ADDRESS_BYTES, "[%s%%%" PRIu32 "]:%u", host, scope, port_of(bytes));
    else
        snprintf(text, TS_SOCKET_ADDRESS_BYTES, "[%s]:%u", host, port_of(bytes));
}

/* A path ends at its NUL; an abstract name begins with one, and all of its bytes count: NUL is shown as @ (as ss). */
static void write_unix(char *text, const uint8_t *path, size_t count) {
    size_t most = count < UNIX_PATH_MOST ? count : UNIX_PATH_MOST;
    size_t bytes = path[0] ? strnlen((const char *)path, most) : most;
    strcpy(text, "unix:");
    text += strlen(text);
    for (size_t i = 0; i < bytes; i++)
        text[i] = path[i] ? (char)path[i] : '@';
    text[bytes] = '\0';
}

int ts_socket_address(char *text, const void *address, size_t count) {
    const uint8_t *bytes = address;
    uint16_t family;
    *text = '\0';
    if (count < sizeof family)
        return -1;
    memcpy(&family, bytes, sizeof family);
    if (family == FAMILY_INET && count >= IN_BYTES) {
        char host[INET_ADDRSTRLEN];
        inet_ntop(AF_INET, bytes + 4, host, sizeof host);
        snprintf(text, TS_SOCKET_ADDRESS_BYTES, "%s:%u", host, port_of(bytes));
        return 0;
    }
    if (family == FAMILY_INET6 && count >= IN6_BYTES) {
        write_inet6(text, bytes, count);
        return 0;
    }
    if (family == FAMILY_UNIX && count > UNIX_PATH) {
        write_unix(text, bytes + UNIX_PATH, count - UNIX_PATH);
        return 0;
    }
    char name[TS_FLAG_NAMES_BYTES];
    ts_flag_names(name, TS_HOOK_family, family, 0);
    snprintf(text, TS_SOCKET_ADDRESS_BYTES, "%.*s", TS_SOCKET_ADDRESS_BYTES - 1, name);
    return -1;
}
