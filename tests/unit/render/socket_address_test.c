/* Socket addresses as text, also those that are cut or hold anything. */
#include "render/socket_address.h"

#include <arpa/inet.h>
#include <criterion/criterion.h>
#include <netinet/in.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>

static void expect(const void *address, size_t bytes, int result, const char *wanted) {
    char text[TS_SOCKET_ADDRESS_BYTES];
    cr_expect_eq(ts_socket_address(text, address, bytes), result);
    cr_expect_str_eq(text, wanted);
}

Test(socket_address, internet) {
    struct sockaddr_in four = {.sin_family = AF_INET, .sin_port = htons(8080)};
    four.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    expect(&four, sizeof four, 0, "127.0.0.1:8080");
    expect(&four, 8, 0, "127.0.0.1:8080");
    expect(&four, 7, -1, "AF_INET");

    struct sockaddr_in6 six = {.sin6_family = AF_INET6, .sin6_port = htons(80), .sin6_addr = IN6ADDR_LOOPBACK_INIT};
    expect(&six, sizeof six, 0, "[::1]:80");
    six.sin6_scope_id = 2;
    cr_assert_eq(inet_pton(AF_INET6, "fe80::1", &six.sin6_addr), 1);
    expect(&six, sizeof six, 0, "[fe80::1%2]:80");
    expect(&six, 24, 0, "[fe80::1]:80");
    expect(&six, 23, -1, "AF_INET6");
}

Test(socket_address, local) {
    struct sockaddr_un local = {.sun_family = AF_UNIX, .sun_path = "/run/x"};
    expect(&local, sizeof local, 0, "unix:/run/x");
    expect(&local, 2 + 4, 0, "unix:/run");
    expect(&local, 2, -1, "AF_UNIX"); /* a socket without a name */
    memcpy(local.sun_path, "\0ab\0c", 5);
    expect(&local, 2 + 5, 0, "unix:@ab@c");
    memset(local.sun_path, 'p', sizeof local.sun_path);
    char wanted[sizeof "unix:" + sizeof local.sun_path] = "unix:";
    memset(wanted + 5, 'p', sizeof local.sun_path);
    expect(&local, sizeof local, 0, wanted);
}

Test(socket_address, others_are_their_family) {
    uint16_t family = AF_NETLINK;
    expect(&family, sizeof family, -1, "AF_NETLINK");
    family = 999;
    expect(&family, sizeof family, -1, "999");
    expect(&family, 1, -1, "");
    expect(NULL, 0, -1, "");
}
