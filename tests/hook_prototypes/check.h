/*
 * Compares a line of hooks.def with the prototype of its function, at compile time: that every argument's kind fits
 * the parameter at its place, that the result and its failure rule fit, that variadic functions say so and that the
 * bytes of stack arguments are right. Cannot find: a kind of the right type and the wrong meaning, a failure rule that
 * the manual contradicts.
 *
 * A reader of signatures of its own, so that it does not share a mistake with collector/hook_signature.c.
 */
#ifndef TRACESHIM_TESTS_HOOK_PROTOTYPES_CHECK_H
#define TRACESHIM_TESTS_HOOK_PROTOTYPES_CHECK_H

#include "tests/hook_prototypes/prototype.h"

#include <string_view>

namespace hook_prototypes {

enum class finding {
    none,
    unknown_kind,
    too_many_arguments,
    argument_kind,
    variadic_not_said,
    not_variadic,
    result_kind,
    result_missing,
    rule,
    stack_missing,
    stack_bytes,
    struct_result,
};

enum class kind_type { INT, LONG, POINTER, ANY, VARIADIC };

struct kind {
    std::string_view name;
    kind_type is;
};

constexpr kind kinds[] = {
#define KIND(name, store, type, meaning) {#name, kind_type::type},
#include "collector/hook_kinds.def"
#undef KIND
};

constexpr const kind *find_kind(std::string_view name) {
    for (const kind &one : kinds)
        if (one.name == name)
            return &one;
    return nullptr;
}

/* Takes the next word off the text; empty at its end. */
constexpr std::string_view take_word(std::string_view &text) {
    while (!text.empty() && text.front() == ' ')
        text.remove_prefix(1);
    size_t length = text.find(' ') == text.npos ? text.size() : text.find(' ');
    std::string_view word = text.substr(0, length);
    text.remove_prefix(length);
    return word;
}

constexpr bool is_one_register(const type &parameter) {
    return parameter.size <= 8 && !parameter.is_floating;
}

/* What a pointer must point to for kinds that look behind it. */
constexpr bool points_right(std::string_view kind, const type &parameter) {
    if (kind == "str" || kind == "path" || kind == "fmode")
        return parameter.to == pointee::character;
    if (kind == "file")
        return parameter.to == pointee::file;
    if (kind == "dir")
        return parameter.to == pointee::directory;
    if (kind == "timespec")
        return parameter.to == pointee::timespec;
    if (kind == "timeval")
        return parameter.to == pointee::timeval;
    if (kind == "address" || kind == "address_out")
        return parameter.to == pointee::address;
    if (kind == "fds_out" || kind == "status_out")
        return parameter.to == pointee::integer;
    return true;
}

constexpr bool fits(const kind &kind, const type &value) {
    switch (kind.is) {
    case kind_type::INT:
        return value.is_number && value.size == 4;
    case kind_type::LONG:
        return value.is_number && value.size == 8;
    case kind_type::POINTER:
        return value.is_pointer && points_right(kind.name, value);
    case kind_type::ANY:
        return is_one_register(value);
    default:
        return false;
    }
}

/* An address's length is a number where the caller gives it and a pointer where the call does. */
constexpr bool is_length_of(std::string_view address, const type &value) {
    if (address == "address")
        return value.is_number && value.size == sizeof(socklen_t);
    return address == "address_out" && value.to == pointee::length;
}

constexpr finding check_arguments(const prototype &function, std::string_view arguments) {
    bool says_variadic = false;
    std::string_view before;
    size_t at = 0;
    for (std::string_view word = take_word(arguments); !word.empty(); word = take_word(arguments)) {
        if (word == "...") {
            says_variadic = true;
            continue;
        }
        const kind *kind = find_kind(word.substr(word.find(':') + 1));
        if (!kind)
            return finding::unknown_kind;
        if (kind->is == kind_type::VARIADIC) {
            says_variadic = true;
            if (at != function.count)
                return finding::argument_kind;
        } else {
            if (at >= function.count)
                return finding::too_many_arguments;
            if (!fits(*kind, function.parameters[at]))
                return finding::argument_kind;
            if (kind->name == "length" && !is_length_of(before, function.parameters[at]))
                return finding::argument_kind;
        }
        before = kind->name;
        at++;
    }
    if (function.is_variadic && !says_variadic)
        return finding::variadic_not_said;
    return !function.is_variadic && says_variadic ? finding::not_variadic : finding::none;
}

constexpr bool rule_fits(std::string_view rule, const type &result) {
    if (rule == "null")
        return result.is_pointer;
    if (rule == "-1")
        return result.is_pointer || (result.is_number && result.is_signed);
    if (rule == "<0" || rule == "<=0")
        return result.is_number && result.is_signed;
    return result.is_number && result.size == 4; /* errno, !=0, nonzero, eof, codes */
}

constexpr bool is_option(std::string_view word) {
    return word == "noreturn" || word == "cancel" || word == "noerrno" || word == "changes" ||
           word.starts_with("stack=") || word.starts_with("try=") || word.starts_with("label=");
}

constexpr finding check_result(const prototype &function, std::string_view result) {
    std::string_view options = result, word = take_word(options);
    if (word.empty() || is_option(word)) {
        bool is_noreturn = result.find("noreturn") != result.npos;
        return function.result.is_void || is_noreturn ? finding::none : finding::result_missing;
    }
    size_t bar = word.find('|');
    const kind *kind = find_kind(word.substr(0, bar));
    if (!kind)
        return finding::unknown_kind;
    if (kind->is == kind_type::ANY || !fits(*kind, function.result))
        return finding::result_kind;
    bool fits_rule = bar == word.npos || rule_fits(word.substr(bar + 1), function.result);
    return fits_rule ? finding::none : finding::rule;
}

/* Bytes of stack arguments by the x86-64 System V ABI: six registers for numbers and pointers, eight for the floats. */
constexpr size_t stack_bytes(const prototype &function) {
    size_t numbers = 0, floats = 0, bytes = 0;
    for (size_t i = 0; i < function.count; i++) {
        const type &parameter = function.parameters[i];
        size_t eightbytes = (parameter.size + 7) / 8;
        size_t &used = parameter.is_floating ? floats : numbers;
        size_t most = parameter.is_floating ? 8 : 6;
        if (parameter.size <= 16 && used + eightbytes <= most)
            used += eightbytes;
        else
            bytes += eightbytes * 8;
    }
    return bytes;
}

/* Of a variadic function `stack=` says more than its type does; it cannot say less. */
constexpr finding check_stack(const prototype &function, std::string_view result) {
    if (!function.result.is_void && function.result.size > 16)
        return finding::struct_result; /* its hidden first argument moves all others */
    for (std::string_view word = take_word(result); !word.empty(); word = take_word(result)) {
        if (!word.starts_with("stack="))
            continue;
        size_t said = 0, needed = stack_bytes(function);
        for (char digit : word.substr(6))
            said = said * 10 + size_t(digit - '0');
        return said == needed || (function.is_variadic && said > needed) ? finding::none : finding::stack_bytes;
    }
    return function.is_variadic ? finding::none : finding::stack_missing;
}

constexpr finding check(const prototype &function, std::string_view arguments, std::string_view result) {
    if (finding found = check_arguments(function, arguments); found != finding::none)
        return found;
    if (finding found = check_result(function, result); found != finding::none)
        return found;
    return check_stack(function, result);
}

} // namespace hook_prototypes

/* One line of hooks.def; the message names the symbol and, as the value of what was compared, what was found. */
#define HOOK_ASSERT(symbol, pack, which, text)                                                                         \
    static_assert(found_##pack##_##symbol != hook_prototypes::finding::which, #symbol " (" #pack "): " text)
#define HOOK(symbol, pack, arguments, result)                                                                          \
    constexpr hook_prototypes::finding found_##pack##_##symbol =                                                       \
        hook_prototypes::check(hook_prototypes::of<decltype(&::symbol)>::value, arguments, result);                    \
    HOOK_ASSERT(symbol, pack, unknown_kind, "a kind that hook_kinds.def does not have");                               \
    HOOK_ASSERT(symbol, pack, too_many_arguments, "more arguments than the function has");                             \
    HOOK_ASSERT(symbol, pack, argument_kind, "the kind of an argument does not fit the parameter's type");             \
    HOOK_ASSERT(symbol, pack, variadic_not_said, "the function is variadic: say so with ...");                         \
    HOOK_ASSERT(symbol, pack, not_variadic, "the function is not variadic");                                           \
    HOOK_ASSERT(symbol, pack, result_kind, "the kind of the result does not fit its type");                            \
    HOOK_ASSERT(symbol, pack, result_missing, "the function returns something: say what");                             \
    HOOK_ASSERT(symbol, pack, rule, "the failure rule does not fit the result's type");                                \
    HOOK_ASSERT(symbol, pack, stack_missing, "say stack=, the bytes of its stack arguments");                          \
    HOOK_ASSERT(symbol, pack, stack_bytes, "stack= is not the bytes of its stack arguments");                          \
    HOOK_ASSERT(symbol, pack, struct_result, "the function returns a struct by a hidden argument");
#define PACK(name, is_default, is_of_libc, meaning)

#endif
