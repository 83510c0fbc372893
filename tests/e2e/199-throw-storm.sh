# Level 3 under many exceptions, through frames of gcc and of clang, nested, rethrown, out of a plugin and through qsort:
# the counts are exact, every call is where it belongs and has its error, the program runs as without us. With --long
# a million exceptions. Rows A14, A43, C19.
. "$SOURCES/lib.sh"
command -v clang++ >/dev/null || skip "no clang++"
rounds=3600
[ "$LONG" = 1 ] && rounds=150000 # 7 throws in each
source=199-throw-storm.cc

# build MAIN OTHER: the program by one compiler, the frames between by another
build() {
    CC=$2 instrument $source "other.o" -DOTHER -O1 -c
    CC=$1 instrument $source "plugin.so" -DPLUGIN -O1 -shared -fPIC
    CC=$1 instrument $source storm -O1 -Wl,--export-dynamic other.o -ldl
}

for pair in "g++ clang++" "clang++ g++"; do
    build $pair
    wanted=$(./storm $rounds)
    rm -rf out
    TRACE_LEVEL=3 TRACE_OUTPUT=out TRACE_FORMAT=none TRACE_MAX_SIZE=2G traced ./storm $rounds >got 2>err
    expect "status ($pair)" 0 $?
    expect "standard output ($pair)" "$wanted" "$(cat got)"
    "$TRACESHIM" info out >info
    expect_line info "^exceptions: $((6 * rounds)) thrown, $rounds rethrown, $((7 * rounds)) caught, 0 uncaught\$"
    expect_line info '^lost: 0 events'
    expect_line info '^misnested: 0'
    expect_line info '^unfinished: 0'
    "$TRACESHIM" report out >report
    # Calls, and those of them that an exception left: all but main and attempt.
    for row in "thrower 4 4" "rethrower 1 1" "replacer 1 1" "caller_of_plugin 1 1" "plugin_throw 1 1" "sorter 1 1" \
        "compare 1 1" "other_outer 5 5" "other_inner 5 5" "attempt 5 0"; do
        set -- $row
        expect "$1: calls and errors ($pair)" "$(($2 * rounds)) $(($3 * rounds))" \
            "$(awk -v name="$1" '$8 == name { print $1, $7 }' report)"
    done
    # Two rounds, call by call: what is thrown, where, and what it leaves.
    rm -rf small
    TRACE_LEVEL=3 TRACE_OUTPUT=small traced ./storm 2 >got 2>err
    tree small >tree
    for line in "thrower .dur. .storm. .ERROR. .*exception.type='std::out_of_range', exception.message='even'" \
        "throw .dur. .storm. .exception.type='std::out_of_range', exception.message='odd', from='thrower'" \
        "rethrow .dur. .storm. .exception.type='std::out_of_range', exception.message='odd', from='rethrower'" \
        "throw .dur. .storm. .exception.type='int', from='replacer'" \
        "replacer .dur. .storm. .ERROR. .*exception.type='int', error='exception'" \
        "plugin_throw .dur. .plugin.so. .ERROR. .*exception.type='PluginError', exception.message='from the plugin'" \
        "other_inner .dur. .storm. .ERROR. .*exception.type='PluginError', exception.message='from the plugin'" \
        "catch .dur. .storm. .exception.type='PluginError', in='attempt'"; do
        expect_line tree "$line"
    done
    expect "throws in the tree" 12 "$(grep -c ' throw (dur)' tree)"
    expect "catches in the tree" 14 "$(grep -c ' catch (dur)' tree)"
    check_chrome small
done
