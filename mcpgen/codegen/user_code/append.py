"""Appends methods to an author's class with libcst, which preserves every existing byte."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import takewhile

import libcst as cst

from mcpgen.codegen.user_code.missing import GENERATED, MissingMethods
from mcpgen.errors import UsageError


def append_stubs(source: bytes, missing: MissingMethods, home: str) -> bytes:
    """Append stubs to the end of a class in a file, and add the imports they need.

    ``home`` is the import path of the generated package, if the file doesn't already contain one.
    """
    # libcst loses whitespace at the end of a file.
    text = source.rstrip(b" \t\r\n\f")
    module = _parse(text, missing)
    at, subclass = _subclass(module, missing)
    stub = _stub(module, subclass.body, missing)
    methods = list(_methods(stub, missing))
    home = _home(module, missing.stub.base) or home
    lines = [
        cst.parse_statement(line, module.config_for_parsing)
        for line in _imports(stub, methods, _imported_names(module), home)
    ]
    extended = module.with_deep_changes(subclass.body, body=[*subclass.body.body, *methods])
    after = _after_imports(module.body[:at])
    complete = extended.with_changes(body=[*extended.body[:after], *lines, *extended.body[after:]])
    try:
        return complete.bytes + source[len(text) :]
    except UnicodeEncodeError:
        reason = f"the stubs cannot be written in the file's encoding, {module.encoding}"
        raise UsageError(reason, str(missing.file), "save the file as UTF-8") from None


def _parse(source: bytes, missing: MissingMethods) -> cst.Module:
    hint = "without --add-missing, mcpgen server lists the code to write by hand"
    try:
        module = cst.parse_module(source)
    except (cst.ParserSyntaxError, RecursionError) as error:
        reason = str(error).partition("\n")[0]
        raise UsageError(
            f"libcst cannot read the file: {reason}", str(missing.file), hint
        ) from None
    if module.bytes != source:
        raise UsageError("the file must change", str(missing.file), hint)
    return module


def _subclass(module: cst.Module, missing: MissingMethods) -> tuple[int, cst.ClassDef]:
    """Return the class that derives from the base, and the statement of the module it is in."""
    for at, statement in enumerate(module.body):
        for node in _walk(statement):
            if (
                isinstance(node, cst.ClassDef)
                and node.bases
                and node.name.value == missing.subclass
            ):
                if isinstance(node.body, cst.IndentedBlock):
                    return at, node
                break
    hint = f"write the class that derives from {missing.stub.base} over several lines"
    raise UsageError("no stubs can be added here", str(missing.file), hint)


def _walk(node: cst.CSTNode) -> Iterator[cst.CSTNode]:
    """Yield a node and all nodes within, in the order of the file."""
    yield node
    for child in node.children:
        yield from _walk(child)


_STEP = re.compile(r"^(?: {4})+", re.MULTILINE)


def _stub(module: cst.Module, block: cst.BaseSuite, missing: MissingMethods) -> cst.Module:
    """Parse the file of a new project, with the indentation and newlines of the author's file."""
    block_indent = block.indent if isinstance(block, cst.IndentedBlock) else None
    indent = block_indent or module.default_indent
    text = _STEP.sub(lambda spaces: indent * (len(spaces[0]) // 4), missing.stub.text)
    config = cst.PartialParserConfig(
        default_newline=module.default_newline, default_indent=module.default_indent
    )
    return cst.parse_module(text.replace("\n", module.default_newline), config)


def _methods(stub: cst.Module, missing: MissingMethods) -> Iterator[cst.FunctionDef]:
    """Yield the missing methods, each after an empty line."""
    for node in _walk(stub):
        if isinstance(node, cst.FunctionDef) and node.name.value in missing.methods:
            yield node.with_changes(leading_lines=[cst.EmptyLine(indent=False)])


def _imports(
    stub: cst.Module, methods: Sequence[cst.FunctionDef], imported: set[str], home: str
) -> Iterator[str]:
    """Yield the imports that the methods need and the file doesn't have."""
    used = {n.value for m in methods for n in _walk(m) if isinstance(n, cst.Name)}
    for node in _import_froms(stub):
        names = [alias for alias in _names(node) if alias in used - imported]
        if names:
            path = _path(node)
            if path.startswith(f".{GENERATED}"):
                path = home + path.removeprefix(f".{GENERATED}")
            yield f"from {path} import {', '.join(names)}"


def _imported_names(module: cst.Module) -> set[str]:
    """Return the names that a module imports outside of functions and classes."""
    inner = {
        id(node)
        for part in _walk(module)
        if isinstance(part, cst.FunctionDef | cst.ClassDef)
        for node in _walk(part)
    }
    return {
        alias.evaluated_alias or alias.evaluated_name
        for node in _import_froms(module)
        if id(node) not in inner and not isinstance(node.names, cst.ImportStar)
        for alias in node.names
    }


def _import_froms(module: cst.Module) -> list[cst.ImportFrom]:
    return [node for node in _walk(module) if isinstance(node, cst.ImportFrom)]


def _names(node: cst.ImportFrom) -> list[str]:
    if isinstance(node.names, cst.ImportStar):
        return []
    return [alias.evaluated_name for alias in node.names]


def _path(node: cst.ImportFrom) -> str:
    module = cst.Module([]).code_for_node(node.module) if node.module else ""
    return "." * len(node.relative) + module


def _home(module: cst.Module, base: str) -> str:
    """Return the module's own import path of the generated package, or ""."""
    for node in _import_froms(module):
        path = _path(node)
        if GENERATED in path and base in _names(node):
            return path[: path.index(GENERATED) + len(GENERATED)]
    return ""


def _after_imports(before: Sequence[cst.CSTNode]) -> int:
    """Return the position for new imports: after the last one, or after a module docstring."""
    imports = [at for at, line in enumerate(before, start=1) if _is_import(line)]
    texts = takewhile(_is_text, before)
    return max([*imports, len(list(texts))])


def _is_import(line: cst.CSTNode) -> bool:
    return isinstance(line, cst.SimpleStatementLine) and any(
        isinstance(part, cst.Import | cst.ImportFrom) for part in line.body
    )


def _is_text(line: cst.CSTNode) -> bool:
    return isinstance(line, cst.SimpleStatementLine) and all(
        isinstance(part, cst.Expr)
        and isinstance(part.value, cst.SimpleString | cst.ConcatenatedString)
        for part in line.body
    )
