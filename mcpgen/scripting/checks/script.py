"""Checks a script against its servers before it runs."""

from __future__ import annotations

import ast
import re
import tempfile
import threading
import warnings
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from types import TracebackType

from mcpgen_runtime.display import model_line, on_one_line

from mcpgen.contract.document import Contract
from mcpgen.errors import UsageError
from mcpgen.scripting.checks import awaiting, capabilities, hints, reading, ty
from mcpgen.scripting.checks.hint_context import ScriptPosition
from mcpgen.scripting.checks.reading import Reading
from mcpgen.scripting.checks.ty import Diagnostic
from mcpgen.scripting.surface import Surface, plain_type, surface, told_apart
from mcpgen.scripting.syntax import NO_HINT, Finding

_OUTSIDE = re.compile(r"outside of an asynchronous function")
_NEVER = re.compile(r"Condition `.*` is always false", re.DOTALL)
_MADE = re.compile(r"xpected `(?P<wanted>.*)`, found `(?P<found>[^`]*\bdict\[[^`]*)`")
# A computed string or number may equal one of the expected literals.
_PLAIN = re.compile(r"xpected `(?:(?:Literal\[[^`]*\]|None)(?: \| )?)+`, found `(?:str|int)`")
_KEY = "invalid-typed-dict-key"
_UNION_KEY = re.compile(
    r'Unknown key "(?P<key>.*?)" for TypedDict .*has type `(?P<union>[^`]* \| [^`]*)`', re.DOTALL
)
# The checker doesn't know the arguments of a lambda and assumes `object`.
_GUESSED = re.compile(
    r"between (?:two )?objects of type `object`|and `object`|on object of type `object`"
)


# A dict display is typed by its first values, but may get values of other types.
_MERGED = re.compile(
    r"Operator `\|=?` is not supported between objects of type `dict\[.*and `dict\["
)


class Checker:
    """Checks scripts against some servers repeatedly. The type checker keeps running."""

    def __init__(self, surfaces: Iterable[Surface]) -> None:
        self.surfaces = told_apart(surfaces)
        self._functions = {name for item in self.surfaces.values() for name in item.functions}
        self._folder = tempfile.TemporaryDirectory(prefix="mcpgen-")
        self._lock = threading.Lock()
        self._server: ty.Server | None = None
        self._path = Path(self._folder.name).resolve()
        ty.lay_out(self._path, {item.name: item.stub for item in self.surfaces.values()})

    def __enter__(self) -> Checker:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self.close()

    def close(self) -> None:
        """Stop the type checker."""
        with self._lock:
            if self._server:
                self._server.close()
            self._server = None
            self._folder.cleanup()

    def check(self, script: str, *, sandbox: bool = True) -> list[Finding]:
        """Return the findings for a script, sorted by line, without running it.

        With ``sandbox``, features that the sandbox lacks are findings, too.
        """
        return self._check(script, is_kept=True, sandbox=sandbox)

    def check_once(self, script: str, *, sandbox: bool = True) -> list[Finding]:
        """Return the same findings, with a type checker started for this script."""
        return self._check(script, is_kept=False, sandbox=sandbox)

    def _check(self, script: str, *, is_kept: bool, sandbox: bool) -> list[Finding]:
        text = script.replace("\r\n", "\n").replace("\r", "\n")
        tree = _parse_script(text)
        if isinstance(tree, Finding):
            return [tree]
        reading_ = reading.read(text, tree, self._functions)
        with self._lock:
            diagnostics = (
                self._diagnose(reading_.text)
                if is_kept
                else ty.check_once(self._path, reading_.text)
            )
        findings = {*_Findings(reading_, tree, self.surfaces).from_diagnostics(diagnostics)}
        if sandbox:
            findings |= {*capabilities.find_unsupported(text, tree, self.surfaces)}
        findings |= {*awaiting.missing_awaits(text, tree, self.surfaces)}
        return sorted(findings, key=lambda item: (item.line, item.column, item.rule))

    def _diagnose(self, text: str) -> list[Diagnostic]:
        """Use the running type checker. If it ended, it is restarted next time."""
        self._server = self._server or ty.Server(self._path)
        try:
            return self._server.check(text)
        except (UsageError, OSError, ValueError):
            self._server.close()
            self._server = None
            return ty.check_once(self._path, text)


def check_script(
    script: str, *contracts: Contract, sandbox: bool = True, **named: Contract
) -> list[Finding]:
    """Return the findings for a script that calls these servers, without running it.

    A server's module has the server's own name, or the keyword of its contract. With ``sandbox``,
    features that the sandbox lacks are findings, too.
    """
    surfaces = [surface(contract) for contract in contracts]
    surfaces += [surface(contract, name) for name, contract in named.items()]
    with Checker(surfaces) as checker:
        return checker.check_once(script, sandbox=sandbox)


def _parse_script(text: str) -> ast.Module | Finding:
    """Parse a script, which may use ``await`` at the top level."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            tree = ast.parse(text)
            compile(text, ty.SCRIPT, "exec", ast.PyCF_ALLOW_TOP_LEVEL_AWAIT, dont_inherit=True)
    except SyntaxError as error:
        hint = model_line("write async def") if "await" in error.msg else NO_HINT
        problem = model_line("{}", error.msg)
        return Finding(error.lineno or 1, error.offset or 1, "invalid-syntax", problem, hint)
    except (ValueError, RecursionError, MemoryError) as error:
        return Finding(1, 1, "invalid-syntax", model_line("not Python: {}", error))
    return tree


class _Findings:
    """Selects the type checker's diagnostics that are errors in the script."""

    def __init__(
        self, script_reading: Reading, tree: ast.Module, surfaces: Mapping[str, Surface]
    ) -> None:
        self.shown, self.tree, self.surfaces = script_reading, tree, surfaces
        self.unpacked = set(_unpacked_arguments(tree, script_reading))

    def from_diagnostics(self, diagnostics: Iterable[Diagnostic]) -> Iterator[Finding]:
        for diagnostic in diagnostics:
            column, edit = self.shown.place(diagnostic.line, diagnostic.column)
            if edit is not None and edit.is_probe and diagnostic.rule != _KEY:
                continue
            if not self._is_left_to_the_call(diagnostic, (diagnostic.line, column)):
                problem = model_line("{}", plain_type(_reword(diagnostic)))
                position = ScriptPosition(self.tree, diagnostic.line, column)
                suggestion = hints.hint(
                    diagnostic.rule, diagnostic.message, self.surfaces, position
                )
                hint = model_line("{}", plain_type(suggestion))
                if problem:
                    yield Finding(diagnostic.line, column, diagnostic.rule, problem, hint)

    def _is_left_to_the_call(self, diagnostic: Diagnostic, position: tuple[int, int]) -> bool:
        """Return True if only the values at run time decide whether the call is valid."""
        if diagnostic.rule.startswith("redundant-condition"):
            return not self._is_about_a_text(diagnostic)
        if (
            # The script was compiled as a coroutine, so it may await.
            (diagnostic.rule == "invalid-syntax" and _OUTSIDE.search(diagnostic.message))
            or (diagnostic.rule == "invalid-argument-type" and position in self.unpacked)
            or (diagnostic.rule == _KEY and self._is_guarded(diagnostic.message))
            or _GUESSED.search(diagnostic.message)
            or _PLAIN.search(diagnostic.message)
            or _MERGED.match(diagnostic.message)
        ):
            return True
        match = _MADE.search(diagnostic.message)
        if match is None or (_is_list(match["wanted"]) and match["found"].startswith("dict[")):
            return False
        return self._is_of_objects(match["wanted"])

    def _is_guarded(self, message: str) -> bool:
        """Return True if a test narrowed the union to types with this key."""
        match = _UNION_KEY.match(message)
        if match is None or not self.shown.is_tested(match["key"]):
            return False
        names = [name for item in self.surfaces.values() for name in item.types]
        return any(
            match["key"] in item.names[kind]
            for item in self.surfaces.values()
            for kind in set(re.findall(r"\w+", match["union"])) & item.names.keys() & set(names)
        )

    def _is_of_objects(self, message: str) -> bool:
        """Return True if a type includes objects with named properties, which a dict may match."""
        message_words = set(re.findall(r"\w+", message))
        return any(not message_words.isdisjoint(item.names) for item in self.surfaces.values())

    def _is_about_a_text(self, diagnostic: Diagnostic) -> bool:
        """Return True if a value is compared with a string that it can never equal."""
        if not _NEVER.search(diagnostic.message):
            return False
        condition = re.search(r"`(.*)`", diagnostic.message, re.DOTALL)
        try:
            node = ast.parse(condition[1] if condition else "", mode="eval").body
        except SyntaxError:
            return False
        if not isinstance(node, ast.Compare) or not isinstance(node.ops[0], ast.Eq | ast.In):
            return False
        return any(
            isinstance(item, ast.Constant) and isinstance(item.value, str)
            for comparator in (node.left, *node.comparators)
            for item in ast.walk(comparator)
            if not isinstance(comparator, ast.Subscript)
        )


def _is_list(message: str) -> bool:
    """Return True if a type accepts only a list or null."""
    parts = message.split(" | ")
    return all(part.startswith("Sequence[") or part == "None" for part in parts)


def _reword(diagnostic: Diagnostic) -> str:
    """Return a diagnostic in terms of the script's author."""
    first = on_one_line(diagnostic.message.partition("\n")[0])
    message = re.sub(r" - did you mean \"[^\"]*\"\?$", "", first)
    return re.sub(r"CoroutineType\[Any, Any, (.*?)\]`", r"Coroutine[\1]`", message)


def _unpacked_arguments(tree: ast.Module, script_reading: Reading) -> Iterator[tuple[int, int]]:
    """Yield the positions of mappings unpacked into arguments, except displays."""
    for node in ast.walk(tree):
        for keyword in node.keywords if isinstance(node, ast.Call) else ():
            line, column = keyword.lineno, keyword.col_offset + 1
            edits = script_reading.edits.get(line, [])
            is_shown = any(edit.column == column + len("**") for edit in edits)
            if keyword.arg is None and not is_shown and not isinstance(keyword.value, ast.Dict):
                yield line, column
