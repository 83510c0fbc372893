/* What there is to know of a C function's type, as values: for tests/hook_prototypes/check.h. */
#ifndef TRACESHIM_TESTS_HOOK_PROTOTYPES_PROTOTYPE_H
#define TRACESHIM_TESTS_HOOK_PROTOTYPES_PROTOTYPE_H

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <dirent.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <time.h>
#include <type_traits>

namespace hook_prototypes {

enum class pointee { other, character, integer, length, file, directory, timespec, timeval, address };

struct type {
    bool is_void = false;
    bool is_number = false; /* integral or enum */
    bool is_signed = false;
    bool is_pointer = false;
    bool is_floating = false; /* else, and none of these: a struct or union */
    size_t size = 0;
    pointee to = pointee::other;
};

template <class T> constexpr pointee describe_pointee() {
    if constexpr (std::is_same_v<T, char>)
        return pointee::character;
    else if constexpr (std::is_same_v<T, socklen_t>)
        return pointee::length;
    else if constexpr (std::is_same_v<T, int>)
        return pointee::integer;
    else if constexpr (std::is_same_v<T, FILE>)
        return pointee::file;
    else if constexpr (std::is_same_v<T, DIR>)
        return pointee::directory;
    else if constexpr (std::is_same_v<T, struct timespec>)
        return pointee::timespec;
    else if constexpr (std::is_same_v<T, struct timeval>)
        return pointee::timeval;
    else if constexpr (std::is_same_v<T, struct sockaddr>)
        return pointee::address;
    else
        return pointee::other;
}

template <class T> constexpr type describe() {
    type is;
    if constexpr (std::is_void_v<T>) {
        is.is_void = true;
    } else {
        is.is_number = std::is_integral_v<T> || std::is_enum_v<T>;
        is.is_floating = std::is_floating_point_v<T>;
        is.is_pointer = std::is_pointer_v<T>;
        is.size = sizeof(T);
        if constexpr (std::is_integral_v<T>)
            is.is_signed = std::is_signed_v<T>;
        else if constexpr (std::is_enum_v<T>)
            /* an enum of C has no sign of its own: its codes may be negative (CURLM_CALL_MULTI_PERFORM) */
            is.is_signed = true;
        if constexpr (std::is_pointer_v<T>)
            is.to = describe_pointee<std::remove_cv_t<std::remove_pointer_t<T>>>();
    }
    return is;
}

#define MOST_PARAMETERS 16

struct prototype {
    type result;
    type parameters[MOST_PARAMETERS];
    size_t count = 0; /* without the variadic ones */
    bool is_variadic = false;
};

template <class R, class... A> constexpr prototype describe_function(bool is_variadic) {
    static_assert(sizeof...(A) <= MOST_PARAMETERS);
    return {describe<R>(), {describe<A>()...}, sizeof...(A), is_variadic};
}

template <class F> struct of;
template <class R, class... A> struct of<R (*)(A...)> {
    static constexpr prototype value = describe_function<R, A...>(false);
};
template <class R, class... A> struct of<R (*)(A...) noexcept> : of<R (*)(A...)> {};
template <class R, class... A> struct of<R (*)(A..., ...)> {
    static constexpr prototype value = describe_function<R, A...>(true);
};
template <class R, class... A> struct of<R (*)(A..., ...) noexcept> : of<R (*)(A..., ...)> {};

} // namespace hook_prototypes
#endif
