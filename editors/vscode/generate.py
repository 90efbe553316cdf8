"""What the extension says about every language, written from the languages' registrations.

    ./dev python editors/vscode/generate.py            writes syntaxes/, language-configuration/ and package.json
    ./dev python editors/vscode/generate.py --check    says what is not up to date

A grammar of TextMate colours what can be seen without reading the text: comments, strings, numbers, keywords, types.
What names mean comes from the language server.
"""

from __future__ import annotations

import json
import re
import sys
from pathlib import Path
from typing import Any

import kripke
from kripke.languages.language import Language
from kripke.languages.registry import LANGUAGES, PACKAGES
from kripke.model.highlighting import Highlighting

#: Python has editors of its own: what kripke reads of it is no language of the extension
EDITED = [name for name in PACKAGES if LANGUAGES[name].document is not None]
HERE = Path(__file__).parent
#: what people call a language
TITLES = {
    "promela": "Promela",
    "pnml": "PNML",
    "maria": "Maria net",
    "pep": "PEP net",
    "cspm": "CSP-M",
    "modes": "Modes",
    "smv": "SMV",
    "scxml": "SCXML",
    "lf": "LF",
    "uml": "UML state machine",
}


def grammar(language: Language, colours: Highlighting) -> dict[str, Any]:
    name = language.name
    patterns = markup_patterns(name) if colours.markup else plain_patterns(name, colours)
    return {"name": TITLES[name], "scopeName": f"source.{name}", "patterns": patterns}


def plain_patterns(name: str, colours: Highlighting) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = []
    if colours.block_comment is not None:
        start, end = map(re.escape, colours.block_comment)
        comment: dict[str, Any] = {"name": f"comment.block.{name}", "begin": start, "end": end}
        if colours.nested:
            comment["patterns"] = [{"include": "#comment"}]
        found.append(comment)
    for sign in colours.line_comments:
        # PlantUML has apostrophes elsewhere, too: there a comment is a whole line.
        before = r"^[ \t]*" if sign == "'" else ""
        found.append({"name": f"comment.line.{name}", "match": f"{before}{re.escape(sign)}.*$"})
    if colours.directives:
        sign = re.escape(colours.directives)
        found.append({"name": f"keyword.control.directive.{name}", "match": rf"^[ \t]*{sign}[ \t]*[A-Za-z]+"})
    for quote in colours.quotes:
        inside = [{"name": f"constant.character.escape.{name}", "match": r"\\."}]
        sort = "double" if quote == '"' else "single"
        found.append({"name": f"string.quoted.{sort}.{name}", "begin": quote, "end": rf"{quote}|$", "patterns": inside})
    found += [
        {"name": scope, "match": alternatives(words)}
        for scope, words in (
            (f"storage.type.{name}", set(colours.types)),
            (f"keyword.control.{name}", set(colours.keywords) - set(colours.types)),
        )
        if words
    ]
    found.append({"name": f"constant.numeric.{name}", "match": r"(?<![\w'])\d\w*"})
    return found


def markup_patterns(name: str) -> list[dict[str, Any]]:
    value = {"name": f"string.quoted.{name}", "match": r"\"[^\"]*\"|'[^']*'"}
    attribute = {"name": f"entity.other.attribute-name.{name}", "match": r"[\w:.-]+(?=\s*=)"}
    tag = {
        "begin": r"(</?)([\w:.-]+)",
        "end": r"/?>",
        "beginCaptures": {"2": {"name": f"entity.name.tag.{name}"}},
        "patterns": [attribute, value],
    }
    return [
        {"name": f"comment.block.{name}", "begin": "<!--", "end": "-->"},
        {"name": f"meta.preprocessor.{name}", "begin": r"<[?!]", "end": ">"},
        tag,
        {"name": f"constant.character.entity.{name}", "match": r"&#?\w+;"},
    ]


def alternatives(words: set[str]) -> str:
    return rf"(?<!\w)(?:{'|'.join(map(re.escape, sorted(words)))})(?!\w)"


def configuration(colours: Highlighting) -> dict[str, Any]:
    """Comments and brackets, for the commands of the editor."""
    comments: dict[str, Any] = {}
    if colours.line_comments:
        comments["lineComment"] = colours.line_comments[0]
    if colours.block_comment is not None:
        comments["blockComment"] = list(colours.block_comment)
    brackets = [["<", ">"]] if colours.markup else [["{", "}"], ["[", "]"], ["(", ")"]]
    pairs = [*brackets, *([quote, quote] for quote in colours.quotes)]
    return {"comments": comments, "brackets": brackets, "autoClosingPairs": pairs, "surroundingPairs": pairs}


def package(known: dict[str, Any]) -> dict[str, Any]:
    """``package.json`` with the languages of the registry; what else is in it stays."""
    languages, grammars = [], []
    for name in EDITED:
        language = LANGUAGES[name]
        languages.append(
            {
                "id": name,
                "aliases": [TITLES[name]],
                "extensions": list(language.endings),
                "configuration": f"./language-configuration/{name}.json",
            }
        )
        path = f"./syntaxes/{name}.tmLanguage.json"
        grammars.append({"language": name, "scopeName": f"source.{name}", "path": path})
    contributes = {**known["contributes"], "languages": languages, "grammars": grammars}
    return {**known, "version": kripke.__version__, "contributes": contributes}


def files() -> dict[Path, str]:
    """Everything that is generated, by its path."""
    found: dict[Path, Any] = {}
    for name in EDITED:
        language = LANGUAGES[name]
        colours = Highlighting() if language.highlighting is None else language.highlighting()
        found[HERE / "syntaxes" / f"{name}.tmLanguage.json"] = with_comments(grammar(language, colours), colours)
        found[HERE / "language-configuration" / f"{name}.json"] = configuration(colours)
    found[HERE / "package.json"] = package(json.loads((HERE / "package.json").read_text()))
    return {path: json.dumps(content, indent=4, ensure_ascii=False) + "\n" for path, content in found.items()}


def with_comments(found: dict[str, Any], colours: Highlighting) -> dict[str, Any]:
    """Comments that stand inside one another name themselves."""
    if colours.nested:
        found["repository"] = {"comment": found["patterns"][0]}
    return found


def main(arguments: list[str]) -> int:
    stale = [path for path, text in files().items() if not path.is_file() or path.read_text() != text]
    if "--check" in arguments:
        for path in stale:
            print(f"{path.relative_to(HERE)} is not up to date: ./dev python editors/vscode/generate.py")
        return 1 if stale else 0
    for path in stale:
        path.parent.mkdir(exist_ok=True)
        path.write_text(files()[path])
        print(f"wrote {path.relative_to(HERE)}")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
