# Entry points that an indirect call may reach begin with endbr64.
SHIM_ARCH_FLAGS := -fcf-protection=branch
