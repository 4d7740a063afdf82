# shellcheck shell=sh
# Sourced by the other scripts. Finds a Python and maintains their virtual environments.
# Sets $root, the top of this repository. Prints one line before a slow step, and errors.

root=$(CDPATH='' cd -- "$(dirname -- "$0")/.." && pwd -P)

say() {
    printf '%s: %s\n' "${0##*/}" "$*" >&2
}

fail() {
    say "$@"
    exit 1
}

# usable PYTHON: whether this project runs on it.
usable() {
    "$1" -c 'import sys; sys.exit(sys.version_info < (3, 10))' >/dev/null 2>&1
}

# find_python CANDIDATE...: prints the first usable one.
find_python() {
    for candidate in "$@"; do
        if usable "$candidate"; then
            printf '%s\n' "$candidate"
            return
        fi
    done
    fail "needs Python 3.10 or later and found none: install python3 (Debian: apt install python3 python3-venv, macOS: brew install python3)"
}

newest_first() {
    find_python python3 python3.14 python3.13 python3.12 python3.11 python3.10 \
        /opt/homebrew/bin/python3 /usr/local/bin/python3
}

oldest_first() {
    find_python python3.10 "${HOME:-/nonexistent}"/.pyenv/versions/3.10.*/bin/python3.10 \
        python3.11 python3.12 python3.13 python3.14 python3
}

# quietly COMMAND...: runs it without output; if it fails, prints its output and exits.
quietly() {
    log=$(mktemp "${TMPDIR:-/tmp}/sdd-setup.XXXXXX")
    if ! "$@" >"$log" 2>&1 </dev/null; then
        cat "$log" >&2
        rm -f "$log"
        fail "this failed: $*"
    fi
    rm -f "$log"
}

# create_environment DIRECTORY PYTHON: creates an empty virtual environment, in place of an existing one.
create_environment() {
    "$2" -c 'import ensurepip, venv' >/dev/null 2>&1 ||
        fail "$2 cannot make virtual environments: apt install python3-venv, then run this again"
    quietly "$2" -m venv --clear "$1"
}

# environment DIRECTORY FINDER NAME PIP-ARGUMENT...: creates the virtual environment, and installs with
# the arguments. The stamp NAME in it records its inputs; until they change, nothing runs again.
environment() {
    directory=$1 finder=$2 stamp=$1/$3.stamp
    shift 3
    inputs="$root $* $(cksum <"$root/pyproject.toml")"
    if ! usable "$directory/bin/python"; then
        python=$("$finder") || exit 1
        create_environment "$directory" "$python"
    elif [ -f "$stamp" ] && [ "$(cat "$stamp")" = "$inputs" ]; then
        return
    fi
    say "installing into ${directory#"$root/"} (up to a minute, once)"
    (
        cd "$root"
        quietly "$directory/bin/python" -m pip install 'pip>=25.1' # the first with --group
        quietly "$directory/bin/python" -m pip install "$@"
    ) || exit 1
    printf '%s\n' "$inputs" >"$stamp"
}
