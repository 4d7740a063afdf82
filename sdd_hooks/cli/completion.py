"""`sdd completion`: completion of commands, options and values in a shell.

The script of a shell starts `sdd` with the variable `_SDD_COMPLETE` and the typed words, as the
library click defines (https://click.palletsprojects.com/en/stable/shell-completion/). The table of
commands completes their names; only the command whose options are completed is imported.
"""

# Governing: SPEC-0005 REQ "Completion"

from __future__ import annotations

import sys
from contextlib import suppress

import click
from click.shell_completion import ShellComplete, get_completion_class

from sdd_hooks.errors import EXIT_OK, EXIT_USAGE, SddError

VARIABLE = "_SDD_COMPLETE"

# The scripts of click need bash 4.4, which macOS lacks, end a summary at its first comma in fish,
# and replace `--option=` by the value.
_BASH = r"""_sdd_completion() {
    local IFS=$'\n'
    local word completion response type value
    local -a words
    words=()
    # bash divides words at `=`.
    for word in "${COMP_WORDS[@]:0:COMP_CWORD+1}"; do
        [[ $word == = ]] || words+=("$word")
    done
    [[ ${COMP_WORDS[COMP_CWORD]} == = ]] && words+=("")
    COMPREPLY=()
    response=$(env COMP_WORDS="${words[*]}" COMP_CWORD=$((${#words[@]} - 1)) \
        _SDD_COMPLETE=bash_complete "$1" 2>/dev/null)
    for completion in $response; do
        IFS=, read -r type value <<<"$completion"
        case $type in
            plain) COMPREPLY+=("$value") ;;
            dir) compopt -o dirnames 2>/dev/null ;;
            file) compopt -o default 2>/dev/null ;;
        esac
    done
}
complete -o nosort -F _sdd_completion sdd 2>/dev/null ||
    complete -F _sdd_completion sdd
"""

_ZSH = r"""#compdef sdd
_sdd_completion() {
    local -a names described response
    local type name summary
    (( $+commands[sdd] )) || return 1
    response=("${(@f)$(env COMP_WORDS="${words[*]}" COMP_CWORD=$((CURRENT - 1)) \
        _SDD_COMPLETE=zsh_complete sdd 2>/dev/null)}")
    [[ ${words[CURRENT]} == --*=* ]] && compset -P '*='
    for type name summary in "${response[@]}"; do
        case $type in
            plain)
                if [[ $summary == _ ]]; then
                    names+=("$name")
                else
                    described+=("$name:$summary")
                fi
                ;;
            dir) _path_files -/ ;;
            file) _path_files -f ;;
        esac
    done
    (( $#described )) && _describe -V sdd described
    (( $#names )) && compadd -V sdd -a names
    return 0
}
if [[ $zsh_eval_context[-1] == loadautofunc ]]; then
    _sdd_completion "$@"
else
    compdef _sdd_completion sdd
fi
"""

_FISH = r"""function _sdd_completion
    set -l words (commandline -cp)
    set -l word (commandline -t)
    set -l option (string match -r -- '^--[^=]+=' $word)
    for completion in (env _SDD_COMPLETE=fish_complete COMP_WORDS="$words" \
            COMP_CWORD="$word" sdd 2>/dev/null)
        set -l parts (string split --max 1 "," -- $completion)
        switch $parts[1]
            case plain
                echo "$option$parts[2]"
            case dir
                __fish_complete_directories $word
            case file
                __fish_complete_path $word
        end
    end
end
complete --no-files --command sdd --arguments "(_sdd_completion)"
"""

_SCRIPTS = {"bash": _BASH, "zsh": _ZSH, "fish": _FISH}


@click.command()
@click.argument("shell", type=click.Choice(list(_SCRIPTS)), metavar="SHELL")
def completion(shell: str) -> int:
    """Print the script that completes commands and options in a shell.

    SHELL is bash, zsh or fish.

    \b
    Example:
      sdd completion bash >~/.local/share/bash-completion/completions/sdd
      sdd completion zsh >~/.zsh/completions/_sdd
      sdd completion fish >~/.config/fish/completions/sdd.fish
    """
    sys.stdout.write(_SCRIPTS[shell])
    return EXIT_OK


def complete(command: click.Command, instruction: str) -> int:
    """Print the completions of the words in the environment. Returns the exit code.

    `instruction` is the value of `_SDD_COMPLETE`: `bash_complete`, and the same for other shells.
    """
    shell = instruction.removesuffix("_complete")
    if shell not in _SCRIPTS or shell == instruction:
        return EXIT_USAGE
    # A plug-in that cannot be used has no completions; its command will say why.
    with suppress(SddError):
        sys.stdout.write(f"{_shell_class(shell)(command, {}, 'sdd', VARIABLE).complete()}\n")
    return EXIT_OK


def _shell_class(shell: str) -> type[ShellComplete]:
    found = get_completion_class(shell)
    assert found is not None
    return found
