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
# Seconds after which sdd is stopped, because git waits for it.
sdd_seconds=10
if [ "$review" = 1 ]; then
    sdd_seconds=30
    [ "$event" != pre-push ] || sdd_seconds=120
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

# Sets sdd_git_dir without a git process.
sdd_find_git_dir() {
    sdd_git_dir=${GIT_DIR:-.git}
    if [ -f "$sdd_git_dir" ]; then
        IFS= read -r sdd_line <"$sdd_git_dir" || :
        sdd_git_dir=${sdd_line#gitdir: }
    fi
    sdd_seen=$sdd_git_dir/sdd-hook-seen
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

# Sets sdd_seen_head, sdd_seen_commit and sdd_seen_parent. Fails if nothing was seen.
sdd_read_seen() {
    sdd_seen_head=
    sdd_seen_commit=
    sdd_seen_parent=
    [ -f "$sdd_seen" ] && [ ! -h "$sdd_seen" ] || return 1
    IFS=' ' read -r sdd_line sdd_word sdd_seen_head sdd_seen_commit sdd_seen_parent 2>/dev/null <"$sdd_seen"
    [ "$sdd_line $sdd_word" = 'sdd 1' ]
}

# Writes what was seen. $1: HEAD, $2: COMMIT, $3: PARENT. Without the file, the next hook starts git.
sdd_write_seen() {
    if [ -f "$sdd_seen" ] && [ ! -h "$sdd_seen" ]; then
        { printf 'sdd 1 %s %s %s\n' "$@" >"$sdd_seen"; } 2>/dev/null || :
    else
        # The shell does not follow a link for a file that it creates so.
        (set -C && printf 'sdd 1 %s %s %s\n' "$@" >"$sdd_seen") 2>/dev/null || :
    fi
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
sdd_legacy=${0%/*}/$event.sdd-legacy
if [ -x "$sdd_legacy" ] && [ ! -d "$sdd_legacy" ]; then
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
    sdd_find_git_dir
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
    sdd_line=
    if [ -f "$sdd_git_dir/rebase-merge/git-rebase-todo" ]; then
        IFS= read -r sdd_line <"$sdd_git_dir/rebase-merge/git-rebase-todo" || :
    fi
    case $sdd_line in
        '' | noop*) return 1 ;;
    esac
    return 0
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
            sdd_line=
            [ -f "${1-}" ] && IFS= read -r sdd_line <"$1"
            case $sdd_line in
                'fixup! '* | 'squash! '* | 'amend! '* | 'Merge '*) return 1 ;;
            esac
            ;;
        pre-push) sdd_pushes_a_branch ;;
    esac
}

sdd_is_set_up() {
    [ -f CLAUDE.md ] || [ -f AGENTS.md ] || [ -f CRUSH.md ]
}

# Whether to start sdd. $@: the arguments of the hook.
sdd_wanted() {
    sdd_find_git_dir
    if [ "$review" = 1 ]; then
        sdd_review_wanted "$@"
        return
    fi
    if [ "$event" = post-merge ]; then
        # Decisions of other repositories are fetched, whatever the merge changed.
        sdd_find_common_dir
        [ ! -d "$sdd_common/sdd/records" ] || return 0
    fi
    sdd_was_read=
    if [ "$event" = pre-commit ]; then
        ! sdd_nothing_staged || return 1
        sdd_state=$sdd_artifacts
    fi
    if [ ! -e "$sdd_state" ] && [ ! -h "$sdd_state" ]; then
        case $event in
            post-checkout) sdd_new_work_tree "${1-}" ;;
            # The check of artifacts needs no index. A repository that is set up has a memory file.
            pre-commit) sdd_is_set_up && ! sdd_unchanged --cached HEAD -- ':(icase)*.md' ':(icase)*.markdown' ':(icase)*.mdx' ;;
            *) false ;;
        esac
        return
    fi
    case $event in
        pre-commit | post-rewrite) ;;
        *) sdd_rebase_goes_on && return 1 ;;
    esac
    # pre-commit stashes unstaged changes and restores them without another hook.
    [ -z "${_PRE_COMMIT_SKIP_POST_CHECKOUT-}" ] || return 1

    sdd_is_state && sdd_read_state || return 0
    # The next hooks read both states without another process.
    [ -z "$sdd_was_read" ] || [ "$sdd_large" = 2 ] || sdd_write_seen 0 0 -
    [ "$sdd_pathspecs" != "$sdd_last_line$sdd_break" ] || return 1
    if [ "$event" = pre-commit ]; then
        ! sdd_compare sdd_unchanged --cached HEAD --
        return
    fi
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
        # A state that the hooks have read before has an end. Otherwise a line may have none.
        # shellcheck disable=SC3013
        if [ "$sdd_seen" -nt "$sdd_state" ]; then
            sdd_take_state
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
sdd_take_state() {
    sdd_text=
    # Nothing writes to the file here.
    # shellcheck disable=SC2094
    while IFS= read -r sdd_line; do
        sdd_text=$sdd_text$sdd_line$sdd_break
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
    if [ -f "$sdd_note" ] && [ ! -h "$sdd_note" ]; then
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
    rm -f -- "$sdd_note" 2>/dev/null
    # The shell does not follow a link for a file that it creates so.
    (set -C && printf 'sdd 1 %s %s %s\n' "$PPID" "$(date +%s)" "$1" >"$sdd_note") 2>/dev/null || :
}

# Whether the file exists, and the interpreter in its first lines too.
sdd_runs() {
    [ -f "$1" ] && [ -x "$1" ] || return 1
    sdd_line=
    sdd_second=
    {
        IFS= read -r sdd_line
        IFS= read -r sdd_second
    } <"$1"
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

# Opens what sdd prints on stderr, for writing as 8 and for reading as 9. A broken Python prints there, so it is
# shown only when it is known to be of sdd. The file has no name when sdd starts, so that none is left.
sdd_open_messages() {
    sdd_line=$sdd_git_dir/sdd-hook-messages.$$
    if [ -z "${SDD_DEBUG-}" ] && (set -C && : >"$sdd_line") 2>/dev/null; then
        # shellcheck disable=SC2094
        exec 8>"$sdd_line" 9<"$sdd_line"
        rm -f -- "$sdd_line" 2>/dev/null
    else
        exec 8>&2 9</dev/null
    fi
}

# Prints what sdd printed.
sdd_show_messages() {
    # Most hooks print nothing, and `cat` is a process.
    if IFS= read -r sdd_line <&9 || [ -n "$sdd_line" ]; then
        printf '%s\n' "$sdd_line" >&2
        cat <&9 >&2
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
    sdd_open_messages
    sdd_run "$sdd_command" hook "$sdd_action" "$@"
    case $event$sdd_result in
        *[!0-9]0)
            sdd_show_messages
            return 0
            ;;
        *[!0-9]130) return 0 ;;
        *[!0-9]137 | *[!0-9]143)
            sdd_show_messages
            sdd_warn stopped "$sdd_command was stopped, as after $sdd_seconds s without an end: run \`sdd doctor\`"
            return 0
            ;;
        # A broken installation exits with 1 as well, and must not stop a commit.
        pre-commit1 | commit-msg1 | pre-push1)
            sdd_input=
            exec 8>/dev/null
            sdd_run "$sdd_command" --version >/dev/null
            if [ "$sdd_result" = 0 ]; then
                sdd_show_messages
                return 1
            fi
            ;;
    esac
    sdd_read_reason
    sdd_warn failed "$sdd_command failed: run \`sdd doctor\`, or $sdd_advice$sdd_reason"
    return 0
}

# Runs a command for at most $sdd_seconds, with git's standard input for pre-push, and with 8 as stderr. Sets
# sdd_result to its status. Ctrl-C does not reach a command in the background, so the shell ends it. No command
# substitution stands here: bash loses a Ctrl-C that comes at the end of one.
sdd_run() {
    sdd_child=
    trap 'sdd_stop; exit 129' HUP
    trap 'sdd_stop; exit 130' INT
    trap 'sdd_stop; exit 143' TERM
    if [ -n "$sdd_input" ]; then
        { printf '%s\n' "$sdd_input" 2>/dev/null || :; } | exec "$@" 2>&8 8>&- 9<&- &
    else
        exec "$@" </dev/null 2>&8 8>&- 9<&- &
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

# Ends a process after $sdd_seconds, unless it is ended before.
sdd_stop_late() {
    # A program that reads git's output would wait for the timer. dash saves redirections of a function.
    exec </dev/null >/dev/null 2>&1
    trap 'kill "$sdd_sleep"; exit' TERM USR1
    sleep "$sdd_seconds" &
    sdd_sleep=$!
    wait "$sdd_sleep" || exit
    kill "$1"
    sleep 2 &
    sdd_sleep=$!
    wait "$sdd_sleep" || exit
    kill -9 "$1"
}

sdd_start "$@" || exit 1
exit $sdd_status
