"""Checks that text beyond ASCII comes back unchanged in a result."""

from __future__ import annotations

from mcpgen.findings.contract_tests import Case, Verdict
from mcpgen.jsontext import Json, is_array, is_object
from mcpgen.testing.answer import Answer, parse_json
from mcpgen.testing.run_context import RunContext

_PLAIN = "mcpgen test"
_WORDS = ("Zo\u00eb", "\u4f60\u597d", "\U0001f389", "\u05e9\u05dc\u05d5\u05dd")


def comes_back(lab: RunContext, case: Case) -> list[Verdict]:
    """Pass plain text, and if it comes back, text with other characters."""
    name, arguments = case.data["argument"], case.data["arguments"]
    if not _echoes(lab.call(case.name, {**arguments, name: _PLAIN}), _PLAIN):
        return []
    for sample in _WORDS:
        answer = lab.call(case.name, {**arguments, name: f"{_PLAIN} {sample}"})
        if not answer.is_success or _echoes(answer, sample):
            continue
        if changed := _garbled(answer, sample):
            detail = f"{name}: {sample!r} comes back as {changed!r}"
            return [Verdict("C801", detail, name, answer.display_text())]
    return []


def _echoes(answer: Answer, text: str) -> bool:
    return answer.is_success and any(text in item for item in _texts(answer.result))


def _garbled(answer: Answer, sample_text: str) -> str:
    """Return the garbled text in place of a word: by an encoding, or missing."""
    wrong = [
        sample_text.encode().decode("latin-1"),
        sample_text.encode().decode("cp1252", "replace"),
        sample_text.encode("ascii", "replace").decode(),
        sample_text.encode("ascii", "xmlcharrefreplace").decode(),
        "\ufffd",
        sample_text.encode("ascii", "ignore").decode(),
        "",
    ]
    for text in _texts(answer.result):
        if parse_json(text) is not None:
            continue  # strings in it are visited separately, unescaped
        _, echoed, rest = text.partition(f"{_PLAIN} ")
        if echoed:
            return next((item for item in wrong if item and rest.startswith(item)), rest[:12])
        if text.strip() == _PLAIN:
            return ""
    return ""


def _texts(value: Json) -> list[str]:
    result: list[str] = []
    waiting = [value]
    while waiting:
        item = waiting.pop()
        if isinstance(item, str):
            result.append(item)
            waiting += [parse_json(item)] if item[:1] in ("{", "[") else []
        elif is_object(item):
            waiting += [inner for key, inner in item.items() if key != "_meta"]
        elif is_array(item):
            waiting += item
    return result
