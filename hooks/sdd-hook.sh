# shellcheck shell=sh
# What every hook of sdd does. It decides in sh, with at most one git process, whether anything
# indexed can have changed, and starts sdd only then. It never changes what git's command returns.
#
# The hook sets `event`, `review` (1: also review what is committed and pushed) and `sdd` (the command
# to start; empty: look it up on PATH) and continues here with the arguments git gave it, in the top
# directory of the work tree.
#
# Governing: ADR-0005 (hook shims decide in sh), SPEC-0010 REQ "Review in hooks"

# Both are written by sdd after every refresh, and no more trusted than any file of the work tree.
# The first line is `sdd 1 COMMIT DIRTY LARGE SUBMODULES`, each other line a pathspec: of what the
# index is made from, and of artifacts. COMMIT is what the index reflects, DIRTY is 1 when it holds
# uncommitted content too, LARGE when git takes too long to look at every file, SUBMODULES when
# files of submodules are indexed.
sdd_state=.sdd/search/hook
sdd_artifacts=.sdd/search/hook-artifacts
# A refresh that nobody has begun.
sdd_again=.sdd/search/again
event=${event-}
review=${review-}
sdd=${sdd-}

sdd_warn() {
    printf 'sdd-hooks: %s\n' "$1" >&2
}

# Sets sdd_git_dir without asking git.
sdd_find_git_dir() {
    sdd_git_dir=${GIT_DIR:-.git}
    if [ -f "$sdd_git_dir" ]; then
        IFS= read -r sdd_line <"$sdd_git_dir" || :
        sdd_git_dir=${sdd_line#gitdir: }
    fi
}

# Whether this is a new work tree of a repository that has been indexed elsewhere.
# $1: what was checked out before.
sdd_new_work_tree() {
    case $1 in
        '' | *[!0]*) return 1 ;;
    esac
    sdd_common=$sdd_git_dir
    if [ -f "$sdd_git_dir/commondir" ]; then
        IFS= read -r sdd_line <"$sdd_git_dir/commondir" || :
        case $sdd_line in
            /*) sdd_common=$sdd_line ;;
            *) sdd_common=$sdd_git_dir/$sdd_line ;;
        esac
    fi
    # Which collections the last refresh of any work tree kept.
    [ -f "$sdd_common/sdd/collections" ]
}

# Whether a rebase is under way that will run post-rewrite when it is done.
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

# Whether a branch is pushed, of all that git says is: `NAME COMMIT REF COMMIT` a line, the first
# commit zeros for what is deleted.
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

# Whether there is anything to review. $1: the file with the message, where there is one.
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

# Whether sdd has anything to do. $@: the arguments of the hook.
sdd_wanted() {
    sdd_find_git_dir
    if [ "$review" = 1 ]; then
        sdd_review_wanted "$@"
        return
    fi
    if [ "$event" = pre-commit ]; then
        sdd_state=$sdd_artifacts
    fi
    if [ ! -f "$sdd_state" ] || [ -h "$sdd_state" ]; then
        [ "$event" = post-checkout ] && sdd_new_work_tree "${1-}"
        return
    fi
    case $event in
        pre-commit | post-rewrite) ;;
        *) sdd_rebase_goes_on && return 1 ;;
    esac
    # pre-commit takes unstaged changes out of the way and puts them back without another hook.
    [ -z "${_PRE_COMMIT_SKIP_POST_CHECKOUT-}" ] || return 1

    # Reading line by line would cost a system call a character.
    sdd_ifs=$IFS
    IFS='
'
    set -f
    # shellcheck disable=SC2046
    set -- $(head -c 65536 "$sdd_state")
    IFS=$sdd_ifs
    # shellcheck disable=SC2086
    [ $# -gt 0 ] && sdd_header=$1 && shift && sdd_read_header $sdd_header || return 0

    [ $# -gt 0 ] || return 1
    if [ "$event" = pre-commit ]; then
        set -- --cached HEAD -- "$@"
    else
        [ "$sdd_dirty" = 0 ] && [ ! -e "$sdd_again" ] || return 0
        if [ "$event$sdd_large" = post-commit1 ]; then
            ! sdd_same_commits "$sdd_commit" HEAD -- "$@"
            return
        fi
        set -- "$sdd_commit" -- "$@"
        [ "$sdd_submodules" = 1 ] || set -- --ignore-submodules=all "$@"
        [ "$sdd_large" = 0 ] || set -- --cached "$@"
    fi
    ! sdd_unchanged "$@"
}

# Reads the first line of the state, given as words. Fails when it is not as sdd writes it.
sdd_read_header() {
    [ $# -eq 6 ] && [ "$1 $2" = 'sdd 1' ] || return 1
    sdd_commit=$3
    sdd_dirty=$4
    sdd_large=$5
    sdd_submodules=$6
    case $sdd_commit in
        *[!0-9a-f]*) return 1 ;;
    esac
    [ ${#sdd_commit} -eq 40 ] || [ ${#sdd_commit} -eq 64 ]
}

sdd_unchanged() {
    sdd_git diff-index --quiet "$@"
}

# git reads its index for this, and would take as long as the work tree is large: one that is
# missing is empty.
sdd_same_commits() (
    GIT_INDEX_FILE=$sdd_git_dir/sdd-no-index
    export GIT_INDEX_FILE
    sdd_git diff-tree -r --quiet "$@"
)

# Pathspecs mean what sdd wrote, and no object is fetched over the network for this.
sdd_git() {
    GIT_LITERAL_PATHSPECS=0 GIT_GLOB_PATHSPECS=0 GIT_NOGLOB_PATHSPECS=0 GIT_ICASE_PATHSPECS=0 \
        GIT_NO_LAZY_FETCH=1 git "$@" </dev/null >/dev/null 2>&1
}

# Whether the file is there, and the interpreter in its first lines too.
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
    # Where a first line cannot name the interpreter, pip and uv have sh start it in the second.
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

# Starts sdd. $@: the arguments of the hook. Fails only for findings in what is being committed.
sdd_start() {
    if [ -n "$sdd" ]; then
        sdd_command=$sdd
        sdd_advice="run \`sdd hooks install\` again, or \`sdd hooks uninstall\`"
    else
        sdd_command=$(command -v sdd) || sdd_command=
        sdd_advice='install it again'
        # Not from a relative entry of PATH: that would be a file of the repository.
        case $sdd_command in
            /*) ;;
            *)
                sdd_warn 'sdd is not on PATH, nothing was done: install it, or unset core.hooksPath'
                return 0
                ;;
        esac
    fi
    if ! sdd_runs "$sdd_command"; then
        sdd_warn "$sdd_command is gone: $sdd_advice"
        return 0
    fi
    sdd_action=$event
    [ "$event$review" = pre-commit1 ] && sdd_action=check
    sdd_give "$sdd_command" hook "$sdd_action" "$@"
    case $event$? in
        *[!0-9]0 | *[!0-9]130) return 0 ;;
        # A broken installation exits with 1, too, and must not stop a commit.
        pre-commit1 | commit-msg1 | pre-push1) "$sdd_command" --version </dev/null >/dev/null 2>&1 && return 1 ;;
    esac
    sdd_warn "$sdd_command failed: run \`sdd doctor\`, or $sdd_advice"
    return 0
}

# Starts a command with what git says on standard input to pre-push, or with nothing.
sdd_give() {
    if [ -n "$sdd_input" ]; then
        # A command that reads none of it is no failure.
        { printf '%s\n' "$sdd_input" 2>/dev/null || :; } | "$@"
    else
        "$@" </dev/null
    fi
}

# Another installer may have moved this hook aside and call it from the one it calls in turn.
[ "${SDD_HOOK_CHAIN-}" = "$event:$PWD" ] && exit 0

sdd_input=
if [ "$event" = pre-push ]; then
    sdd_input=$(cat 2>/dev/null)
fi

# The hook that was here before comes first, with its input, and its status is the hook's.
sdd_status=0
sdd_legacy=${0%/*}/$event.sdd-legacy
if [ -x "$sdd_legacy" ] && [ ! -d "$sdd_legacy" ]; then
    if [ "$event" = pre-push ]; then
        (
            SDD_HOOK_CHAIN=$event:$PWD
            export SDD_HOOK_CHAIN
            sdd_give "$sdd_legacy" "$@"
        )
    else
        SDD_HOOK_CHAIN=$event:$PWD "$sdd_legacy" "$@"
    fi
    sdd_status=$?
    case $event in
        pre-* | commit-msg) [ $sdd_status -eq 0 ] || exit $sdd_status ;;
    esac
fi

if sdd_wanted "$@"; then
    sdd_start "$@" || exit 1
fi
exit $sdd_status
