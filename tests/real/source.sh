# shellcheck shell=bash
# Sources of Debian's packages, with source lists of our own: the machine's files are not touched. Sourced; $work is the
# caller's scratch directory.

# source_list: deb-src lines for every deb line of the machine, in either format of apt
source_list() {
    cat /etc/apt/sources.list /etc/apt/sources.list.d/*.list 2>/dev/null | sed -nE 's/^deb( .*)$/deb-src\1/p'
    awk -v RS= -F '\n' '{
        uris = suites = components = options = ""
        if ($0 ~ /(^|\n)Enabled: *no/ || $0 !~ /(^|\n)Types:[^\n]*deb/) next
        for (i = 1; i <= NF; i++) {
            value = $i
            sub(/^[^:]*: */, "", value)
            if ($i ~ /^URIs:/) uris = value
            if ($i ~ /^Suites:/) suites = value
            if ($i ~ /^Components:/) components = value
            if ($i ~ /^Signed-By: *\//) options = "[signed-by=" value "] "
        }
        n = split(uris, uri, " ")
        m = split(suites, suite, " ")
        for (i = 1; i <= n; i++) for (j = 1; j <= m; j++) print "deb-src " options uri[i] " " suite[j] " " components
    }' /etc/apt/sources.list.d/*.sources 2>/dev/null
}

# fetch_source PACKAGE: its source into $work/source, by apt from the machine's own mirrors. The newest version, or the
# release's, where a mirror has no updates.
fetch_source() {
    mkdir -p "$work/apt/lists/partial" "$work/apt/cache/archives/partial" "$work/source"
    # One line for each archive: apt refuses a second one that names other keys, or none.
    source_list | grep -E ' main( |$)' | awk '{ archive = $0; sub(/\[[^]]*\] /, "", archive) }
        !(archive in line) || /\[/ { line[archive] = $0 }
        END { for (archive in line) print line[archive] }' >"$work/apt/sources.list"
    [ -s "$work/apt/sources.list" ] || return 1
    local apt=(apt-get -qq -o "Dir::Etc::SourceList=$work/apt/sources.list" -o Dir::Etc::SourceParts=-
        -o "Dir::State::Lists=$work/apt/lists" -o "Dir::Cache=$work/apt/cache" -o APT::Sandbox::User=root)
    "${apt[@]}" update >"$work/apt.log" 2>&1
    local release
    read -r release < <(sed -n 's/^VERSION_CODENAME=//p' /etc/os-release)
    (cd "$work/source" && { "${apt[@]}" source "$1" || "${apt[@]}" source "$1/$release"; }) >>"$work/apt.log" 2>&1
}
