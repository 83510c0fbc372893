# Python's own tests of sockets.
# NEEDS: /usr/bin/python3
# SEES: open64 connect accept4
. "$HERE/lib.sh"
python_suite test_socket '*.GeneralModuleTests.*' '*.BasicTCPTest.*' '*.BasicUDPTest.*' '*.BasicSocketPairTest.*' '*.NonBlockingTCPTests.*' \
    '*.SendmsgTCPTest.*' '*.RecvmsgUnixStreamTest.*' '*.RecvmsgSCMRightsStreamTest.*' '*.SendfileUsingSendfileTest.*' '*.CreateServerTest.*'
