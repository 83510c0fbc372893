/* For assembly that stands before a function of libc's and jumps to it with its arguments as they were. */
    .macro save_arguments
    .irp register, %rdi, %rsi, %rdx, %rcx, %r8, %r9, %rax
    push \register
    .cfi_adjust_cfa_offset 8
    .endr
    .endm

    .macro restore_arguments
    .irp register, %rax, %r9, %r8, %rcx, %rdx, %rsi, %rdi
    pop \register
    .cfi_adjust_cfa_offset -8
    .endr
    .endm

    /* r11 = the real function; looked up when the constructor has not run yet */
    .macro load_real offset
    mov ts_real_functions + \offset(%rip), %r11
    test %r11, %r11
    jnz 9f
    save_arguments
    call ts_real_resolve
    restore_arguments
    mov ts_real_functions + \offset(%rip), %r11
9:
    .endm
