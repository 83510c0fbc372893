/*
 * What the compiler's calls bind to until the constructor has looked at their object, and for good at level 0.
 */
#include <cet.h>
    .text
    .globl __cyg_profile_func_enter
    .type __cyg_profile_func_enter, @function
    .globl __cyg_profile_func_exit
    .type __cyg_profile_func_exit, @function
    .p2align 4
__cyg_profile_func_enter:
__cyg_profile_func_exit:
    .cfi_startproc
    _CET_ENDBR
    ret
    .cfi_endproc
    .size __cyg_profile_func_enter, . - __cyg_profile_func_enter
    .size __cyg_profile_func_exit, . - __cyg_profile_func_exit
    .section .note.GNU-stack, "", @progbits
