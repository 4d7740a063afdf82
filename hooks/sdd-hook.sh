# shellcheck shell=sh
# The body of every hook of sdd. It decides in sh, with at most one git process, whether indexed files
# can have changed, and starts sdd only then. It never changes the exit status of git's command, except
# for findings before a commit or a push.
#
# The header sets `event`, `review` (1: also review commits and pushes) and `sdd` (the command to start;
# empty: search PATH) and continues here with git's arguments, in the top directory of the work tree.
#
# Governing: ADR-0005 (hook shims decide in sh), SPEC-0010 REQ "Review in hooks"

# sdd writes both after every refresh. They are as untrusted as any file of the work tree. The first line
# is `sdd 1 COMMIT DIRTY LARGE SUBMODULES`, each other line a pathspec: of indexed files, and of artifacts.
# The last line is always the same. All of this stands in the file twice, with a tab between: the two parts of
# a damaged file differ, and comparing them takes no process.
# COMMIT is the commit that the index reflects, DIRTY is 1 when it has uncommitted content too, LARGE is not 0 when
# git takes too long to scan every file, and 2 when every pathspec of artifacts is among those of indexed files
# too. SUBMODULES is 1 when files of submodules are indexed.
sdd_state=.sdd/search/hook
sdd_artifacts=.sdd/search/hook-artifacts
sdd_last_line=':(literal).sdd/search/hook'
# Exists while a requested refresh has not begun.
sdd_again=.sdd/search/again
sdd_break='
'
event=${event-}
review=${review-}
sdd=${sdd-}
# Seconds after which sdd is stopped, because git waits for it, and bytes that it may print in one of them.
sdd_seconds=10
sdd_tick=1
sdd_bytes=262144
if [ "$review" = 1 ]; then
    sdd_seconds=30
    [ "$event" != pre-push ] || sdd_seconds=120
fi

# Sets sdd_git_dir without a git process.
sdd_find_git_dir() {
    sdd_git_dir=${GIT_DIR:-.git}
    if [ -f "$sdd_git_dir" ]; then
        IFS= read -r sdd_line <"$sdd_git_dir" || :
        sdd_git_dir=${sdd_line#gitdir: }
    fi
    sdd_seen=$sdd_git_dir/sdd-hook-seen
}

sdd_legacy=${0%/*}/$event.sdd-legacy
# git runs this hook for each commit that a rebase replays, and post-rewrite at the end.
if [ "$event" = post-commit ]; then
    sdd_find_git_dir
    if [ ! -f "$sdd_legacy" ] && { [ -d "$sdd_git_dir/rebase-merge" ] || [ -d "$sdd_git_dir/rebase-apply" ]; }; then
        exit 0
    fi
fi

# Removes relative entries from PATH: a program there would be a file of the repository.
sdd_clean_path() {
    case :${PATH-}: in
        *::* | *:[!/]*) ;;
        *) return ;;
    esac
    sdd_ifs=$IFS
    IFS=:
    set -f
    sdd_line=
    for sdd_entry in ${PATH-}; do
        case $sdd_entry in
            /*) sdd_line=$sdd_line:$sdd_entry ;;
        esac
    done
    IFS=$sdd_ifs
    set +f
    PATH=${sdd_line#:}
    PATH=${PATH:-/usr/bin:/bin}
}

# Sets sdd_common, the git directory that all work trees share.
sdd_find_common_dir() {
    sdd_common=$sdd_git_dir
    if [ -f "$sdd_git_dir/commondir" ]; then
        IFS= read -r sdd_line <"$sdd_git_dir/commondir" || :
        case $sdd_line in
            /*) sdd_common=$sdd_line ;;
            *) sdd_common=$sdd_git_dir/$sdd_line ;;
        esac
    fi
}

# Sets sdd_head to the commit that is checked out, without a git process, or to nothing: the branch may be in no
# file of its own.
sdd_read_head() {
    sdd_head=
    [ ! -f "$sdd_git_dir/HEAD" ] || IFS= read -r sdd_head <"$sdd_git_dir/HEAD" || :
    case $sdd_head in
        'ref: refs/heads/'*)
            sdd_find_common_dir
            sdd_line=$sdd_common/${sdd_head#ref: }
            sdd_head=
            [ ! -f "$sdd_line" ] || IFS= read -r sdd_head <"$sdd_line" || :
            ;;
    esac
    sdd_is_commit "$sdd_head" || sdd_head=
}

sdd_is_commit() {
    case $1 in
        *[!0-9a-f]*) return 1 ;;
    esac
    [ ${#1} -eq 40 ] || [ ${#1} -eq 64 ]
}

# With LARGE 2, the hooks before and after a commit share one git process. What one has seen is in git's directory,
# `sdd 1 HEAD COMMIT PARENT`: in indexed files, HEAD is equal to COMMIT of the state, and so is what the git
# command PARENT has staged, until it has committed (0). The times of the files say whether this holds still.
# Without LARGE 2 it is `sdd 1 0 0 -`: that the hook before a commit has read both states.

# A copy is written after it: a file that is newer than its copy was not written here, and may have no end.

# Whether there is a regular file that the hooks can have written. A pipe would make the shell wait.
sdd_is_ours() {
    [ -f "$1" ] && [ ! -h "$1" ] && [ -w "$1" ]
}

# Creates a file with one line, instead of anything else that has its name. $1: the file, $2: the line.
sdd_create() {
    [ ! -e "$1" ] && [ ! -h "$1" ] || rm -f -- "$1" 2>/dev/null
    # The shell follows no link for a file that it creates so, but it opens an existing pipe.
    [ ! -e "$1" ] && (set -C && printf %s "$2" >"$1") 2>/dev/null
}

# Sets sdd_seen_head, sdd_seen_commit and sdd_seen_parent. Fails if nothing was seen.
sdd_read_seen() {
    sdd_seen_head=
    sdd_seen_commit=
    sdd_seen_parent=
    # shellcheck disable=SC3013
    sdd_is_ours "$sdd_seen" && [ -f "$sdd_seen-copy" ] && [ ! "$sdd_seen" -nt "$sdd_seen-copy" ] || return 1
    IFS=' ' read -r sdd_line sdd_word sdd_seen_head sdd_seen_commit sdd_seen_parent 2>/dev/null <"$sdd_seen"
    [ "$sdd_line $sdd_word" = 'sdd 1' ]
}

# Writes what was seen. $1: HEAD, $2: COMMIT, $3: PARENT. Without the file, the next hook starts git.
sdd_write_seen() {
    for sdd_file in "$sdd_seen" "$sdd_seen-copy"; do
        if sdd_is_ours "$sdd_file"; then
            { printf 'sdd 1 %s %s %s\n' "$@" >"$sdd_file"; } 2>/dev/null
        else
            sdd_create "$sdd_file" "sdd 1 $1 $2 $3$sdd_break"
        fi || :
    done
}

# Whether the state can be one of sdd, which replaces what is none, or says what it is.
sdd_is_state() {
    [ -f "$sdd_state" ] && [ ! -h "$sdd_state" ] && [ ! -h .sdd ] && [ ! -h .sdd/search ]
}

# Whether the rules of a sparse checkout, or of info/exclude, are newer than the state. git runs no hook for
# them, and reports no difference.
sdd_rules_changed() {
    sdd_find_common_dir
    # shellcheck disable=SC3013
    [ "$sdd_git_dir/info/sparse-checkout" -nt "$sdd_state" ] ||
        [ "$sdd_git_dir/config.worktree" -nt "$sdd_state" ] ||
        [ "$sdd_common/info/exclude" -nt "$sdd_state" ]
}

# Whether the hook before this commit saw that nothing indexed is staged, and nothing has changed since.
sdd_commit_was_seen() {
    # The commit is read first: another one would change git's index before it.
    sdd_read_seen && [ "$sdd_seen_parent" = "$PPID" ] && sdd_read_head && [ -n "$sdd_head" ] || return 1
    sdd_line=${GIT_INDEX_FILE:-$sdd_git_dir/index}
    # shellcheck disable=SC3013
    sdd_is_state && [ -f "$sdd_line" ] && [ "$sdd_seen" -nt "$sdd_line" ] && [ "$sdd_seen" -nt "$sdd_state" ] &&
        [ ! -e "$sdd_again" ] && ! sdd_rules_changed || return 1
    sdd_write_seen "$sdd_head" "$sdd_seen_commit" 0
}

# Starts a command with git's standard input for pre-push, otherwise with none.
sdd_give() {
    if [ -n "$sdd_input" ]; then
        # A command need not read its input.
        { printf '%s\n' "$sdd_input" 2>/dev/null || :; } | "$@"
    else
        "$@" </dev/null
    fi
}

sdd_given_path=${PATH-}
sdd_clean_path

# Another installer may have renamed this hook; its hook and this one must not call each other forever.
[ "${SDD_HOOK_CHAIN-}" = "$event:$PWD" ] && exit 0

sdd_input=
if [ "$event" = pre-push ]; then
    sdd_input=$(cat 2>/dev/null)
fi

# The previous hook runs first, with the same input, and its status is the status of this hook.
sdd_status=0
if [ -x "$sdd_legacy" ] && [ -f "$sdd_legacy" ]; then
    if [ "$event" = pre-push ]; then
        (
            SDD_HOOK_CHAIN=$event:$PWD
            PATH=$sdd_given_path
            export SDD_HOOK_CHAIN PATH
            sdd_give "$sdd_legacy" "$@"
        )
    else
        PATH=$sdd_given_path SDD_HOOK_CHAIN=$event:$PWD "$sdd_legacy" "$@"
    fi
    sdd_status=$?
    case $event in
        pre-* | commit-msg) [ $sdd_status -eq 0 ] || exit $sdd_status ;;
    esac
fi

if [ "$event" = post-commit ]; then
    ! sdd_commit_was_seen || exit $sdd_status
fi

# The shell parses what follows only when the hook before this commit has not decided.

# Whether this is a new work tree of a repository that has been indexed elsewhere.
# $1: the commit that was checked out before.
sdd_new_work_tree() {
    case $1 in
        '' | *[!0]*) return 1 ;;
    esac
    sdd_find_common_dir
    # The file names the collections of the last refresh in any work tree.
    [ -f "$sdd_common/sdd/collections" ]
}

# Whether the hook before a commit has read this state, which has not LARGE 2.
sdd_is_small() {
    # shellcheck disable=SC3013
    sdd_read_seen && [ "$sdd_seen_head" = 0 ] && [ "$sdd_seen" -nt "$sdd_state" ]
}

# Whether nothing indexed is staged, and no artifact, for the hook before a commit.
sdd_nothing_staged() {
    ! sdd_is_small && sdd_is_state && sdd_read_state || return 1
    sdd_was_read=1
    [ "$sdd_dirty$sdd_large" = 02 ] && [ ! -e "$sdd_again" ] || return 1
    sdd_read_head
    # Artifacts are checked when they differ from HEAD.
    case $sdd_head in
        '') return 1 ;;
        "$sdd_commit") ;;
        *) sdd_read_seen && [ "$sdd_seen_head $sdd_seen_commit" = "$sdd_head $sdd_commit" ] || return 1 ;;
    esac
    sdd_compare sdd_unchanged --cached "$sdd_commit" -- || return 1
    sdd_write_seen "$sdd_head" "$sdd_commit" "$PPID"
}

# Whether a rebase runs that will run post-rewrite at its end.
sdd_rebase_goes_on() {
    [ -d "$sdd_git_dir/rebase-apply" ] && return 0
    [ -d "$sdd_git_dir/rebase-merge" ] || return 1
    [ "$event" = post-checkout ] || return 0
    # With nothing to replay, post-checkout is the last hook that git runs.
    sdd_read_start "$sdd_git_dir/rebase-merge/git-rebase-todo"
    case $sdd_text in
        '' | "$sdd_break"* | noop*) return 1 ;;
    esac
    return 0
}

# Sets sdd_text to the first bytes of a file that may have no end, or to nothing if it is no regular one.
sdd_read_start() {
    sdd_text=
    [ ! -f "$1" ] || { sdd_text=$(head -c 1000 -- "$1"); } 2>/dev/null
}

# Whether a branch is among the pushed refs. git passes `NAME COMMIT REF COMMIT` a line; the first commit
# is all zeros for a deleted ref.
sdd_pushes_a_branch() {
    while IFS= read -r sdd_line; do
        sdd_line=${sdd_line% *}
        case ${sdd_line##* } in
            refs/heads/*) ;;
            *) continue ;;
        esac
        sdd_line=${sdd_line% *}
        case ${sdd_line##* } in
            *[!0]*) return 0 ;;
        esac
    done <<END
$sdd_input
END
    return 1
}

# Whether a review is needed. $1: the file with the message, for commit-msg.
sdd_review_wanted() {
    case $event in
        pre-commit) ! sdd_unchanged --cached HEAD -- ;;
        commit-msg)
            sdd_rebase_goes_on && return 1
            [ ! -f "$sdd_git_dir/MERGE_HEAD" ] || return 1
            sdd_read_start "${1-}"
            case $sdd_text in
                'fixup! '* | 'squash! '* | 'amend! '* | 'Merge '*) return 1 ;;
            esac
            ;;
        pre-push) sdd_pushes_a_branch ;;
    esac
}

# Whether a repository that is set up, so that it has a memory file or an index, has other documents than the commit $1
# in what is staged. The check of artifacts needs no index.
sdd_documents_changed() {
    [ -e "$sdd_state" ] || [ -f CLAUDE.md ] || [ -f AGENTS.md ] || [ -f CRUSH.md ] || return 1
    ! sdd_unchanged --cached "$1" -- ':(icase)*.md' ':(icase)*.markdown' ':(icase)*.mdx' ':(icase)*.rst' ':(icase)*.adoc'
}

# Whether to start sdd. $@: the arguments of the hook.
sdd_wanted() {
    sdd_find_git_dir
    if [ "$review" = 1 ]; then
        sdd_review_wanted "$@"
        return
    fi
    case $event${1-} in
        post-merge* | post-rewriterebase)
            # Decisions of other repositories are fetched, whatever the merge changed.
            sdd_find_common_dir
            [ "$event" = post-rewrite ] || [ ! -d "$sdd_common/sdd/records" ] || return 0
            # Records that were joined may have the same number, also if the index has seen them together before.
            ! sdd_documents_changed ORIG_HEAD || return 0
            ;;
        post-commit*)
            [ ! -f "$sdd_git_dir/CHERRY_PICK_HEAD" ] || sdd_rebase_goes_on || ! sdd_documents_changed HEAD^ || return 0
            ;;
    esac
    sdd_was_read=
    case $event in
        pre-*)
            ! sdd_nothing_staged || return 1
            sdd_state=$sdd_artifacts
            ;;
    esac
    if [ ! -e "$sdd_state" ] && [ ! -h "$sdd_state" ]; then
        case $event in
            post-checkout) sdd_new_work_tree "${1-}" ;;
            pre-*) sdd_documents_changed HEAD ;;
            *) false ;;
        esac
        return
    fi
    case $event in
        pre-* | post-rewrite) ;;
        *) sdd_rebase_goes_on && return 1 ;;
    esac
    # pre-commit stashes unstaged changes and restores them without another hook.
    [ -z "${_PRE_COMMIT_SKIP_POST_CHECKOUT-}" ] || return 1

    sdd_is_state && sdd_read_state || return 0
    # The next hooks read both states without another process.
    [ -z "$sdd_was_read" ] || [ "$sdd_large" = 2 ] || sdd_write_seen 0 0 -
    [ "$sdd_pathspecs" != "$sdd_last_line$sdd_break" ] || return 1
    case $event in
        pre-*)
            ! sdd_compare sdd_unchanged --cached HEAD --
            return
            ;;
    esac
    [ "$sdd_dirty" = 0 ] && [ ! -e "$sdd_again" ] || return 0
    ! sdd_rules_changed || return 0
    if [ "$event" = post-commit ] && [ "$sdd_large" != 0 ]; then
        sdd_read_head
        sdd_compare sdd_same_commits "$sdd_commit" "${sdd_head:-HEAD}" -- || return 0
        [ "$sdd_large" != 2 ] || [ -z "$sdd_head" ] || sdd_write_seen "$sdd_head" "$sdd_commit" 0
        return 1
    fi
    set -- "$sdd_commit" --
    [ "$sdd_submodules" = 1 ] || set -- --ignore-submodules=all "$@"
    [ "$sdd_large" = 0 ] || set -- --cached "$@"
    ! sdd_compare sdd_unchanged "$@"
}

# Runs a command with the pathspecs of the state as further arguments.
sdd_compare() {
    sdd_ifs=$IFS
    IFS=$sdd_break
    set -f
    # shellcheck disable=SC2086
    set -- "$@" $sdd_pathspecs
    IFS=$sdd_ifs
    "$@"
}

# Sets sdd_pathspecs, a line each, and the variables of the header. Fails if sdd cannot have written the state.
sdd_read_state() {
    # bash warns about null bytes.
    {
        # A state that the hooks have read before has an end, and two equal parts. Otherwise a line may have no end.
        # shellcheck disable=SC3013
        if [ "$sdd_seen" -nt "$sdd_state" ]; then
            sdd_take_state "$sdd_last_line"
        else
            # The shell removes the line breaks at the end.
            sdd_text=$(sdd_print_state)$sdd_break
        fi
    } 2>/dev/null
    sdd_ifs=$IFS
    IFS='	'
    set -f
    # shellcheck disable=SC2086
    set -- $sdd_text
    IFS=$sdd_ifs
    [ $# -eq 2 ] && [ "$1" = "$2" ] || return 1
    case $1 in
        *"$sdd_break$sdd_last_line$sdd_break") ;;
        *) return 1 ;;
    esac
    sdd_pathspecs=${1#*"$sdd_break"}
    # shellcheck disable=SC2086
    sdd_read_header ${1%%"$sdd_break"*}
}

# Prints the state, and takes little processor time.
sdd_print_state() {
    # shellcheck disable=SC3045
    ulimit -t 2 || :
    sdd_take_state
    printf %s "$sdd_text"
}

# Sets sdd_text to the state, at most 131,072 bytes of it. `read` makes one system call for each character, which
# takes less time than another process for a short state only, and has no limit but that of processor time for a line.
# $1: the line at which to stop, and to take the other part for equal.
sdd_take_state() {
    sdd_text=
    # Nothing writes to the file here.
    # shellcheck disable=SC2094
    while IFS= read -r sdd_line; do
        sdd_text=$sdd_text$sdd_line$sdd_break
        if [ "$sdd_line" = "${1-}" ]; then
            sdd_text="$sdd_text	$sdd_text"
            return
        fi
        if [ ${#sdd_text} -gt 3000 ]; then
            sdd_text=$(head -c 131072 "$sdd_state")$sdd_break
            return
        fi
    done <"$sdd_state"
    sdd_text=$sdd_text$sdd_line
}

# Parses the words of the first line of the state. Fails if sdd cannot have written it.
sdd_read_header() {
    [ $# -eq 6 ] && [ "$1 $2" = 'sdd 1' ] || return 1
    sdd_commit=$3
    sdd_dirty=$4
    sdd_large=$5
    sdd_submodules=$6
    sdd_is_commit "$sdd_commit"
}

sdd_unchanged() {
    sdd_git diff-index --quiet "$@"
}

# Variables of the user do not change the meaning of pathspecs, and git fetches no object: before 2.45 it is
# refused a transport instead.
sdd_git() {
    GIT_LITERAL_PATHSPECS=0 GIT_GLOB_PATHSPECS=0 GIT_NOGLOB_PATHSPECS=0 GIT_ICASE_PATHSPECS=0 \
        GIT_NO_LAZY_FETCH=1 GIT_ALLOW_PROTOCOL=none git "$@" </dev/null >/dev/null 2>&1
}

# git reads its index for this, which takes long in a large work tree. A missing index counts as empty.
# The variables are those of `sdd_git`: a subshell that exports one more would be another process.
# Called by `sdd_compare`.
# shellcheck disable=SC2329
sdd_same_commits() {
    [ ! -e "$sdd_git_dir/sdd-no-index" ] || rm -f -- "$sdd_git_dir/sdd-no-index" 2>/dev/null
    GIT_INDEX_FILE=$sdd_git_dir/sdd-no-index GIT_LITERAL_PATHSPECS=0 GIT_GLOB_PATHSPECS=0 \
        GIT_NOGLOB_PATHSPECS=0 GIT_ICASE_PATHSPECS=0 GIT_NO_LAZY_FETCH=1 GIT_ALLOW_PROTOCOL=none \
        git diff-tree -r --quiet "$@" </dev/null >/dev/null 2>&1
}

sdd_wanted "$@" || exit $sdd_status

# The shell parses what follows only when sdd is started.

# What a failure leaves for the other hooks of the same git command, which is the parent of all of them:
# `sdd 1 PARENT SECONDS KIND`. After `stopped` they do not start sdd, so that git waits for one hook alone;
# after `failed` they start it, and print nothing about another failure. The next event covers what they miss.
sdd_note=$sdd_git_dir/sdd-hook-note

# Sets sdd_noted to the kind of the note, or to nothing, and removes a note of another git command.
sdd_read_note() {
    sdd_noted=
    [ -e "$sdd_note" ] || [ -h "$sdd_note" ] || return 0
    if sdd_is_ours "$sdd_note"; then
        set -f
        # shellcheck disable=SC2046
        { set -- $(head -c 100 "$sdd_note"); } 2>/dev/null
        set +f
        if [ $# -eq 5 ] && [ "$1 $2 $3" = "sdd 1 $PPID" ] && sdd_is_recent "$4"; then
            sdd_noted=$5
            return 0
        fi
    fi
    rm -f -- "$sdd_note" 2>/dev/null
}

# Whether a time was less than five minutes ago: a later process can have the same number.
sdd_is_recent() {
    case $1 in
        [!1-9]* | *[!0-9]* | ????????????*) return 1 ;;
    esac
    sdd_line=$(date +%s 2>/dev/null)
    case $sdd_line in
        '' | *[!0-9]*) return 1 ;;
    esac
    [ "$sdd_line" -ge "$1" ] && [ "$sdd_line" -lt $(($1 + 300)) ]
}

# Prints one line, and leaves a note. $1: the kind of the note, $2: the text.
sdd_warn() {
    [ -z "$sdd_noted" ] || return 0
    printf 'sdd-hooks: %s\n' "$2" >&2
    sdd_create "$sdd_note" "sdd 1 $PPID $(date +%s) $1$sdd_break" || :
}

# Whether the file exists, and the interpreter in its first lines too.
sdd_runs() {
    [ -f "$1" ] && [ -x "$1" ] || return 1
    sdd_read_start "$1"
    sdd_line=${sdd_text%%"$sdd_break"*}
    sdd_second=${sdd_text#*"$sdd_break"}
    sdd_second=${sdd_second%%"$sdd_break"*}
    case $sdd_line in
        '#!'*) ;;
        *) return 0 ;;
    esac
    sdd_line=${sdd_line#??}
    sdd_line=${sdd_line# }
    # If the first line cannot name the interpreter, pip and uv write `#!/bin/sh` and start it in the second.
    case $sdd_second in
        "'''exec' \""*)
            sdd_line=${sdd_second#*\"}
            sdd_line=${sdd_line%%\"*}
            ;;
        "'''exec' '"*)
            sdd_line=${sdd_second#"'''exec' '"}
            sdd_line=${sdd_line%%\'*}
            ;;
        "'''exec' "*)
            sdd_line=${sdd_second#* }
            sdd_line=${sdd_line%% *}
            ;;
        *) sdd_line=${sdd_line%% *} ;;
    esac
    [ -x "$sdd_line" ]
}

# Opens what sdd prints, for writing as 8 and for reading as 9, and as 7 for another reader. A broken Python prints
# there, so it is shown only when it is known to be of sdd. The file has no name when sdd starts, so that none is left.
sdd_open_messages() {
    sdd_line=$sdd_git_dir/sdd-hook-messages.$$
    if [ -z "${SDD_DEBUG-}" ] && sdd_create "$sdd_line" ''; then
        # shellcheck disable=SC2094
        exec 8>"$sdd_line" 9<"$sdd_line" 7<"$sdd_line"
        rm -f -- "$sdd_line" 2>/dev/null
    else
        exec 8>&2 9</dev/null 7</dev/null
    fi
}

# Prints what sdd printed.
sdd_show_messages() {
    # Most hooks print nothing, and `head` is a process.
    if IFS= read -r sdd_line <&9 || [ -n "$sdd_line" ]; then
        printf '%s\n' "$sdd_line" >&2
        head -c "$sdd_bytes" <&9 >&2
    fi
}

# Sets sdd_reason to the last line that sdd printed, in parentheses: the error of a Python that cannot start it.
sdd_read_reason() {
    sdd_reason=$(tail -c 300 <&9 2>/dev/null | tail -n 1 2>/dev/null)
    case $sdd_reason in
        '' | *[!\ -~]*) sdd_reason= ;;
        *) sdd_reason=" ($sdd_reason)" ;;
    esac
}

# Starts sdd. $@: the arguments of the hook. Fails only for findings before a commit or a push.
sdd_start() {
    sdd_read_note
    [ "$sdd_noted" != stopped ] || return 0
    if [ -n "$sdd" ]; then
        sdd_command=$sdd
        sdd_advice="run \`sdd hooks install\` again, or \`sdd hooks uninstall\`"
    else
        sdd_command=$(command -v sdd) || sdd_command=
        sdd_advice='install it again'
        # A relative entry of PATH would start a file of the repository.
        case $sdd_command in
            /*) ;;
            *)
                sdd_warn failed 'sdd is not on PATH, nothing was done: install it, or unset core.hooksPath'
                return 0
                ;;
        esac
    fi
    if ! sdd_runs "$sdd_command"; then
        sdd_line='is gone:'
        [ ! -f "$sdd_command" ] || [ -x "$sdd_command" ] ||
            sdd_line='may not be executed: check its permissions, or'
        sdd_warn failed "$sdd_command $sdd_line $sdd_advice"
        return 0
    fi
    sdd_action=$event
    [ "$event$review" = pre-commit1 ] && sdd_action=check
    sdd_find_variables
    sdd_try "$@"
    # An installation outside of Python's folders needs one of these variables.
    case $sdd_outcome$sdd_variables in
        failed*PYTHONPATH* | failed*PYTHONUSERBASE* | failed*PYTHONHOME*)
            sdd_variables=
            sdd_try "$@"
            ;;
    esac
    case $sdd_outcome in
        refused) return 1 ;;
        failed)
            sdd_read_reason
            sdd_warn failed "$sdd_command failed: run \`sdd doctor\`, or $sdd_advice$sdd_reason"
            ;;
    esac
    return 0
}

# Runs sdd once, and sets sdd_outcome to `ended`, `refused` or `failed`. $@: the arguments of the hook.
sdd_try() {
    sdd_outcome=ended
    sdd_open_messages
    sdd_run "$sdd_command" hook "$sdd_action" "$@"
    # What sdd printed found no place on the disk, as sdd says, or Python when it ends.
    case $sdd_result in
        74 | 120)
            exec 8>&2 9</dev/null 7</dev/null
            sdd_run "$sdd_command" hook "$sdd_action" "$@"
            ;;
    esac
    case $event$sdd_result in
        *[!0-9]0) sdd_show_messages ;;
        *[!0-9]130) ;;
        *[!0-9]137 | *[!0-9]143)
            sdd_show_messages
            sdd_warn stopped "$sdd_command was stopped, as after $sdd_seconds s or output without an end: run \`sdd doctor\`"
            ;;
        # A broken installation exits with 1 as well, and must not stop a commit.
        pre-*1 | commit-msg1)
            exec 8>/dev/null
            sdd_run "$sdd_command" --version
            if [ "$sdd_result" = 0 ]; then
                sdd_show_messages
                sdd_outcome=refused
            else
                sdd_outcome=failed
            fi
            ;;
        *) sdd_outcome=failed ;;
    esac
}

# Sets sdd_variables to the names of the variables with which a program that bundles Python starts its own, and
# which git hands on: they would make another Python fail, or load other modules.
sdd_find_variables() {
    sdd_variables=
    sdd_ifs=$IFS
    IFS=$sdd_break
    set -f
    for sdd_line in $(export -p); do
        # A line of a value may look like a variable: at most one of Python more is left out.
        sdd_line=${sdd_line%%=*}
        sdd_line=${sdd_line##* }
        case $sdd_line in
            PYTHONDONTWRITEBYTECODE | PYTHONPYCACHEPREFIX | *[!A-Z0-9_]*) ;;
            PYTHON*) sdd_variables="$sdd_variables $sdd_line" ;;
        esac
    done
    IFS=$sdd_ifs
    set +f
}

# Becomes a command without the variables of Python.
# shellcheck disable=SC2086
sdd_exec() {
    [ -z "$sdd_variables" ] || unset $sdd_variables
    exec "$@"
}

# Runs a command for at most $sdd_seconds, with git's standard input for pre-push, and with 8 as its output. Sets
# sdd_result to its status. Ctrl-C does not reach a command in the background, so the shell ends it. No command
# substitution stands here: bash loses a Ctrl-C that comes at the end of one.
sdd_run() {
    sdd_child=
    trap 'sdd_stop; exit 129' HUP
    trap 'sdd_stop; exit 130' INT
    trap 'sdd_stop; exit 143' TERM
    if [ -n "$sdd_input" ]; then
        { printf '%s\n' "$sdd_input" 2>/dev/null || :; } | sdd_exec "$@" >&8 2>&8 7<&- 8>&- 9<&- &
    else
        sdd_exec "$@" </dev/null >&8 2>&8 7<&- 8>&- 9<&- &
    fi
    sdd_child=$!
    sdd_stop_late "$sdd_child" &
    # bash reports a command that a signal ended when the shell waits for it. A new process of dash loses a
    # signal for which this shell has a trap, so the first one is another.
    {
        wait "$sdd_child"
        sdd_result=$?
        kill -USR1 "$!"
        kill "$!"
        wait "$!"
    } 2>/dev/null
    trap - HUP INT TERM
}

# Ends the command, and what ends it later, if they have begun. Called by traps.
# shellcheck disable=SC2329
sdd_stop() {
    # shellcheck disable=SC2086
    kill $sdd_child $! 2>/dev/null
}

# Ends a process after $sdd_seconds, or when it prints without an end, unless it is ended before.
sdd_stop_late() {
    # A program that reads git's output would wait for the timer. dash saves redirections of a function.
    exec </dev/null >/dev/null 2>&1
    trap 'kill "$sdd_sleep"; exit' TERM USR1
    sdd_left=$sdd_seconds
    while
        sleep "$sdd_tick" &
        sdd_sleep=$!
        wait "$sdd_sleep" || exit
        sdd_left=$((sdd_left - 1))
        [ "$sdd_left" -gt 0 ] && [ "$(head -c "$sdd_bytes" <&7 | wc -c)" -lt "$sdd_bytes" ]
    do :; done
    kill "$1"
    sleep 2 &
    sdd_sleep=$!
    wait "$sdd_sleep" || exit
    kill -9 "$1"
}

sdd_start "$@" || exit 1
exit $sdd_status
