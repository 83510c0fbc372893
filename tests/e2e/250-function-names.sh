# TRACE_FUNCTIONS takes the names that report shows, of C++ and Rust too, also in objects that are opened later; and
# `traceshim functions` tells before what it takes. Rows A1, C8, A16.
. "$SOURCES/lib.sh"
command -v g++ >/dev/null || skip "no g++ on this machine"
CC=g++ instrument 250-function-names.cc app -ldl
CC=g++ instrument 250-function-names.cc plugin.so -DPLUGIN -fPIC -shared

wanted=$(./app ./plugin.so ./plugin.so ./plugin.so)

# recorded GLOBS: calls and names of what is recorded with them, in the file `found`
recorded() {
    rm -rf out
    TRACE_FUNCTIONS="$1" TRACE_FORMAT=none TRACE_OUTPUT=out traced ./app ./plugin.so ./plugin.so ./plugin.so >got 2>err
    expect "standard output with '$1'" "$wanted" "$(cat got)"
    expect "standard error with '$1'" "" "$(cat err)"
    "$TRACESHIM" report out | sed -n 's/^\([0-9]*\) .*  \(.*\) {.*}$/\1 \2/p' | sort -k2 >found
}

# selects GLOBS WANTED: that is recorded, and `traceshim functions` lists every name of it
selects() {
    recorded "$1"
    expect "what '$1' selects" "$2" "$(paste -sd, found)"
    { "$TRACESHIM" functions --functions="$1" app && "$TRACESHIM" functions --functions="$1" plugin.so; } >listed ||
        fail "functions --functions='$1': status $?"
    while read -r _ name; do
        cut -d' ' -f2- listed | grep -qxF -- "$name" || fail "'$name' is recorded and not listed with '$1'"
    done <found
}

selects 'game::Actor::move' '1 game::Actor::move'
selects 'game::Actor::*,-*::move' '2 game::Actor::Actor,1 game::Actor::operator<'
selects 'game::Actor::operator<' '1 game::Actor::operator<'
selects 'game::scale<int, 3>' '1 game::scale<int, 3>'
selects 'game::scale<*' '1 game::scale<int, 3>,1 game::scale<long, 4>'
selects 'game::help,game::load' '2 game::help,1 game::load'
selects '*lambda*' '1 main::{lambda(int, int)#1}::operator()'
selects 'mycrate::*' '1 mycrate::work'
selects 'plugin::*' '3 plugin::hidden,3 plugin::twice<int>,3 plugin::twice<long>'
selects 'plugin_main,-plugin::*' '3 plugin_main'
selects '-game::*,-plugin*,-*lambda*' '1 main,1 mycrate::work'
selects '_Z*' ''

# A plugin that is opened again is not asked for again: the renderer runs for the program and for the plugin once.
mkdir tools
cp "$SHIM" tools/
printf '#!/bin/sh\necho >>%s/runs\nexec %s "$@"\n' "$PWD" "$TRACESHIM" >tools/traceshim
chmod +x tools/traceshim
SHIM=$PWD/tools/libtraceshim.so recorded 'plugin_main'
expect "calls" "3 plugin_main" "$(cat found)"
expect "runs of the renderer" 2 "$(wc -l <runs)"

# Stripped: what still has a name keeps it, and the rest has none.
strip plugin.so
selects 'plugin_main' '3 plugin_main'
recorded '-plugin_main,-game::*,-main,-*lambda*,-work'
grep -q '^3 plugin.so+0x' found || fail "a function without a name is not recorded: $(cat found)"
grep -q plugin_main found && fail "what is excluded is recorded"
true
