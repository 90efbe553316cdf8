"""``kripke completion``: what makes a shell complete verbs, options and files of the command.

bash   source <(kripke completion bash)      in ~/.bashrc
zsh    source <(kripke completion zsh)       in ~/.zshrc, after compinit
fish   kripke completion fish | source       in ~/.config/fish/config.fish
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator

from kripke.cli.arguments import options_of
from kripke.cli.main import VERBS
from kripke.cli.safe_stream import print_lines

SHELLS = ("bash", "zsh", "fish")


def run(options: argparse.Namespace) -> int:
    writers = {"bash": _bash, "zsh": _zsh, "fish": _fish}
    print_lines("\n".join(writers[options.shell]()))
    return 0


def _flags(verb: str) -> list[str]:
    return sorted({flag for option in options_of(verb) for flag in option.option_strings})


def _bash() -> Iterator[str]:
    yield "_kripke() {"
    yield '    local word=${COMP_WORDS[COMP_CWORD]} options=""'
    yield "    if [ $COMP_CWORD -eq 1 ]; then"
    yield f'        COMPREPLY=($(compgen -W "{" ".join(VERBS)}" -- "$word"))'
    yield "        return"
    yield "    fi"
    yield "    case ${COMP_WORDS[1]} in"
    for verb in VERBS:
        yield f'        {verb}) options="{" ".join(_flags(verb))}" ;;'
    yield "    esac"
    yield "    case $word in"
    yield '        -*) COMPREPLY=($(compgen -W "$options" -- "$word")) ;;'
    yield '        *) compopt -o filenames 2>/dev/null; COMPREPLY=($(compgen -f -- "$word")) ;;'
    yield "    esac"
    yield "}"
    yield "complete -F _kripke kripke"


def _zsh() -> Iterator[str]:
    yield "#compdef kripke"
    yield "_kripke() {"
    yield "    local -a verbs"
    yield "    verbs=("
    for verb, does in VERBS.items():
        yield f"        {_single(f'{verb}:{does}')}"
    yield "    )"
    yield "    if (( CURRENT == 2 )); then _describe verb verbs; return; fi"
    yield "    case $words[2] in"
    for verb in VERBS:
        yield f"        {verb}) _arguments \\"
        for option in options_of(verb):
            for flag in option.option_strings:
                takes = "" if option.nargs == 0 else f":{_plain(option.metavar or option.dest)}:_files"
                text = f"{flag}[{_plain(option.help)}]{takes}"
                yield f"            {_single(text)} \\"
        yield "            '*:file:_files' ;;"
    yield "    esac"
    yield "}"
    yield "compdef _kripke kripke"


def _fish() -> Iterator[str]:
    yield f"complete -c kripke -n __fish_use_subcommand -f -a {_single(' '.join(VERBS))}"
    for verb in VERBS:
        condition = _single(f"__fish_seen_subcommand_from {verb}")
        for option in options_of(verb):
            names = [f"-l {f[2:]}" if f.startswith("--") else f"-s {f[1:]}" for f in option.option_strings]
            value = "" if option.nargs == 0 else " -r"
            yield f"complete -c kripke -n {condition} {' '.join(names)}{value} -d {_single(_plain(option.help))}"


def _plain(text: object) -> str:
    """Without the signs that mean something to zsh."""
    plain = str(text or "").replace("%%", "%")
    return "".join(" " if sign in "[]\\:\n" else sign for sign in plain)


def _single(text: str) -> str:
    escaped = text.replace("'", "'\\''")
    return f"'{escaped}'"
