"""Builds the documentation site: `python scripts/build_site.py [FOLDER]`.

Copies the pages of docs/, adds the pages that come from code (commands, rules, API), and runs
`zensical build --strict`, which fails on a broken link. The site is in FOLDER/site.
"""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from posixpath import normpath

import click

from mcpgen.cli.app import cli
from mcpgen.cli.shared.commands import GROUPS
from mcpgen.cli.shared.options import COMMON
from mcpgen.findings.rule import ChangeRule, Rule
from mcpgen.findings.rules.diff import catalogue as diff
from mcpgen.findings.rules.lint import catalogue as lint
from mcpgen.findings.rules.tests import catalogue as tests

ROOT = Path(__file__).resolve().parents[1]
OTHER_PAGES = {
    "README.md": "index.md",
    "CHANGELOG.md": "changelog.md",
    "CONTRIBUTING.md": "contributing.md",
    "benchmarks/README.md": "benchmarks.md",
}
"""The pages outside of docs/, and their names on the site."""
API = {
    "Errors": ("errors", ""),
    "Options": ("options", ""),
    "Clients": ("client.base", "McpClient"),
    "Several clients": ("client.multi_client", "Clients"),
    "Middleware": ("middleware", ""),
    "Policies of a server": ("server.policy", "Policy"),
}
"""Headings of the API page, each with a module of the runtime and a name in it."""
_LINK = re.compile(r"(?<!\!)\[(?P<text>[^\]\[]*(?:\[[^\]]*\][^\]\[]*)?)\]\((?P<target>[^)\s]+)\)")
_IMAGE = re.compile(r"(?<=\]\()(?:\.\./)?docs/(?=images/)")


def main() -> int:
    """Build the site, and return the exit code of Zensical."""
    target = Path(sys.argv[1]) if len(sys.argv) > 1 else ROOT / ".cache" / "site"
    assemble(target)
    command = [str(Path(sys.executable).parent / "zensical"), "build", "--strict", "--clean"]
    return subprocess.run(command, cwd=target, check=False).returncode


def assemble(target: Path) -> None:
    """Write the configuration and all pages into a folder."""
    shutil.rmtree(target, ignore_errors=True)
    shutil.copytree(ROOT / "docs", target / "docs", ignore=shutil.ignore_patterns("*.toml"))
    configuration = (ROOT / "docs" / "zensical.toml").read_text(encoding="utf-8")
    runtime = (ROOT / "runtime" / "src").as_posix()
    (target / "zensical.toml").write_text(configuration.replace("RUNTIME", runtime), "utf-8")
    for page in sorted((ROOT / "docs").glob("*.md")):
        text = page.read_text(encoding="utf-8")
        (target / "docs" / page.name).write_text(with_site_links(text, "docs"), "utf-8")
    for source, name in OTHER_PAGES.items():
        text = _IMAGE.sub("", (ROOT / source).read_text(encoding="utf-8"))
        folder = str(Path(source).parent)
        (target / "docs" / name).write_text(with_site_links(text, folder), "utf-8")
    for name, lines in pages_of_code().items():
        (target / "docs" / name).write_text("\n".join(lines) + "\n", "utf-8")


def with_site_links(text: str, folder: str) -> str:
    """Return a page of a folder with links to the site. Files that aren't pages become code."""

    def replace(match: re.Match[str]) -> str:
        label, target = match["text"], match["target"]
        path, mark, fragment = target.partition("#")
        if not path or re.match(r"[a-z]+:", target):
            return match[0]
        full = normpath(f"{folder}/{path}")
        if full.startswith("docs/"):
            return f"[{label}]({full.removeprefix('docs/')}{mark}{fragment})"
        if full in OTHER_PAGES:
            return f"[{label}]({OTHER_PAGES[full]}{mark}{fragment})"
        return f"{label} (`{full}`)" if full not in label else label

    blocks = re.split(r"(?ms)(^```.*?^```$)", text)
    return "".join(
        # GitHub needs a backslash before a bar in code in a table, and the site shows it.
        block if block.startswith("```") else _LINK.sub(replace, block).replace("\\|", "|")
        for block in blocks
    )


def pages_of_code() -> Mapping[str, list[str]]:
    """Return the pages that come from code, line by line."""
    return {"commands.md": list(commands()), "rules.md": list(rules()), "api.md": list(api())}


def commands() -> Iterator[str]:
    """Yield every command with its help and its options."""
    yield "# Commands and options"
    yield "\nThis page lists every option. [The command line](cli.md) explains what they share.\n"
    with click.Context(cli, info_name="mcpgen") as parent:
        for group, names in GROUPS.items():
            yield f"## {group}\n"
            for name in names:
                command = cli.get_command(parent, name)
                assert command is not None, name
                yield from _command(name, command, parent)


def _command(name: str, command: click.Command, parent: click.Context) -> Iterator[str]:
    context = click.Context(command, info_name=name, parent=parent)
    usage = command.get_usage(context).removeprefix("Usage: ")
    yield f"### mcpgen {name}\n\n```text\n{usage}\n```\n"
    for paragraph in (command.help or "").split("\n\n"):
        yield _escape(" ".join(paragraph.split())) + "\n"
    options = [item for item in command.get_params(context) if isinstance(item, click.Option)]
    own = [option for option in options if option.name not in COMMON | {"help"}]
    yield from _options("Option", own, context)
    common = [option for option in options if option.name in COMMON]
    yield from _options("Common option", common, context)


def _options(title: str, options: Sequence[click.Option], context: click.Context) -> Iterator[str]:
    records = [record for option in options if (record := option.get_help_record(context))]
    if records:
        yield f"| {title} | Meaning |\n|---|---|"
    for option, meaning in records:
        yield f"| `{option}` | {_escape(meaning)} |"
    yield ""


def rules() -> Iterator[str]:
    """Yield every rule with its reason, its example and its correction."""
    yield "# Rules"
    yield "\nAll rules of `mcpgen diff`, `mcpgen lint` and `mcpgen test`, as in `mcpgen explain`.\n"
    tables: dict[str, Mapping[str, Rule | ChangeRule]] = {
        "Rules of mcpgen diff": diff.RULES,
        "Rules of mcpgen lint": lint.RULES,
        "Rules of mcpgen test": tests.JUDGES,
    }
    for title, table in tables.items():
        yield f"## {title}\n"
        for rule in table.values():
            yield from _rule(rule)


def _rule(rule: Rule | ChangeRule) -> Iterator[str]:
    yield f"### {rule.id} {rule.name}\n"
    if isinstance(rule, Rule):
        level = str(rule.level)
    else:
        level = ", ".join(f"{severity} for {name}" for name, severity in rule.levels.items())
    yield f"{_sentence(rule.summary)} Level: {level}.\n"
    yield f"{_sentence(rule.why)}\n"
    labels = ("Not", "But") if isinstance(rule, Rule) else ("Before", "After")
    for label, example in zip(labels, rule.example, strict=True):
        yield f"- {label}: {_escape(example)}"
    yield f"\n{_sentence(rule.fix)}\n" if rule.fix else ""


def _sentence(text: str) -> str:
    text = _escape(f"{text[:1].upper()}{text[1:]}")
    return text if text.endswith((".", "!", "?")) else f"{text}."


def _escape(text: str) -> str:
    parts = re.split(r"(`[^`]*`)", text)
    return "".join(
        part if part.startswith("`") else re.sub(r"([\\*_{}\[\]<>#|])", r"\\\1", part)
        for part in parts
    )


def api() -> Iterator[str]:
    """Yield the directives of mkdocstrings for the public names of the runtime."""
    yield "# API of the runtime"
    yield "\nEvery generated package re-exports these names, so import them from the package.\n"
    for title, (module, name) in API.items():
        path = f"mcpgen_runtime.{module}" + (f".{name}" if name else "")
        heading = str(bool(name)).lower()  # a module needs none besides the title
        options = f"    options:\n      show_root_heading: {heading}"
        yield f"## {title}\n\n::: {path}\n{options}\n"


if __name__ == "__main__":
    sys.exit(main())
