# Entry points that an indirect call may reach begin with `bti c`. Return addresses are not signed: nothing here spills
# them where the program could write. Atomics stay in line: libgcc's choose at run time, by a variable set up too late.
SHIM_ARCH_FLAGS := -mbranch-protection=bti -mno-outline-atomics
