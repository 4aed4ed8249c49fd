"""Checks a tool call by the schemas and the protocol."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from typing import Any

from mcpgen_runtime.display import brief

from mcpgen.findings.contract_tests import Case, Verdict
from mcpgen.jsonpointer import pointer
from mcpgen.jsontext import Json, is_array, is_object
from mcpgen.schemas.validation import messages
from mcpgen.servers.endpoint.sensitivity import words_of
from mcpgen.servers.recording.follow_up import FollowUpRequest
from mcpgen.testing import contents
from mcpgen.testing.answer import (
    INTERNAL_ERROR,
    Answer,
    Fault,
    has_worked,
    is_about_arguments,
)
from mcpgen.testing.arguments import fresh_arguments
from mcpgen.testing.arguments.entities import entity_in, id_of
from mcpgen.testing.arguments.mutations import UNKNOWN
from mcpgen.testing.contents import leaks
from mcpgen.testing.run_context import RunContext

_MOST_REPETITIONS = 12


def run(lab: RunContext, case: Case) -> list[Verdict]:
    """Call a tool with the case's arguments."""
    return judge_answer(lab, case, lab.call_again(case.name, case.data["arguments"]))


def call_at_once(lab: RunContext, tool: str, several: Sequence[Json]) -> list[Answer]:
    """Call a tool concurrently, and record the outcomes."""
    params: list[dict[str, Json]] = [{"name": tool, "arguments": item} for item in several]
    answers = lab.ask_all([FollowUpRequest("tools/call", item) for item in params])
    for arguments, answer in zip(several, answers, strict=True):
        lab.note(tool, arguments, answer)
    return answers


def used_up(lab: RunContext, case: Case) -> list[Verdict]:
    """Repeat a call until the server rejects it, for example because a stock is used up.

    If it works each time, it is tried with other entities. The run context schedules wrong results
    as separate cases.
    """
    for _ in range(_MOST_REPETITIONS):
        if not has_worked(lab.call_again(case.name, case.data["arguments"])):
            return []
    for arguments in case.data.get("others", []):
        if not has_worked(lab.call_again(case.name, arguments)):
            break
    return []


def crowd(lab: RunContext, case: Case) -> list[Verdict]:
    """Create an entity with the least values, and make calls that fill it.

    The run context schedules wrong results as separate cases.
    """
    created = lab.call_again(case.data["creator"], case.data["least"])
    entity = entity_in(created.data()) if has_worked(created) else None
    _, identity = id_of(entity) or ("", None)
    for arguments in case.data["calls"] if identity is not None else ():
        lab.call_again(case.name, {**arguments, case.data["argument"]: identity})
    return []


def find_renewal(lab: RunContext, case: Case) -> list[Verdict]:
    """Find a new value that makes a call work again, if its repetition is refused."""
    arguments, name = case.data["arguments"], case.name
    if not lab.call_again(name, arguments).is_refusal:
        return []
    schema, free = lab.input(name), case.data["free"]
    for renewal in fresh_arguments.renewals(schema, arguments, free, case.data["known"]):
        renewed = renewal.advance(schema, arguments)
        if renewed is None or not schema.allows(renewed):
            continue
        if has_worked(lab.call_again(name, renewed)):
            for item in (renewed, *case.data["earlier"]):
                renewal.note(item, has_worked=True)
            lab.renewals[name] = renewal
            break
    return []


def judge_answer(lab: RunContext, case: Case, answer: Answer) -> list[Verdict]:
    """Return the verdicts on the outcome of a call."""
    arguments = case.data["arguments"]
    verdicts = [*faults(answer, lab.limits.answer)]
    if verdicts:
        if answer.fault is Fault.SILENT and waits(case.name, arguments):
            return [Verdict("C306", verdict.detail, "", verdict.answer) for verdict in verdicts[:1]]
        return verdicts
    verdicts += protocol(answer, "CallToolResult", lab.contract.revision)
    errors = lab.input(case.name).errors(arguments)
    if has_worked(answer):
        if errors:
            verdicts.append(_accepted_violation(lab, errors[0], answer))
        else:
            verdicts += _output(lab, case.name, answer)
    elif answer.is_success:
        if not errors and _fits(lab, case.name, answer):
            return verdicts  # the schema allows such a result
        verdicts.append(Verdict("C502", brief(answer.text(), 80), "", answer.display_text()))
        if not errors and not answer.has_structured():
            verdicts += _output(lab, case.name, answer)
    else:
        lab.strict = lab.strict or UNKNOWN in arguments
        if len(errors) == 1 and _is_true(errors[0]) and is_about_arguments(answer):
            lab.refuses_true.add(json.dumps(errors[0].validator_value))
        verdicts += of_error(answer, is_valid=not errors and lab.has_result(case.name))
        arguments_text = json.dumps(arguments, ensure_ascii=False)
        verdicts += leaks(answer.text(), arguments_text, lab.credentials, "the error")
    if answer.is_success:
        verdicts += contents.shown_secret(answer.result, arguments, lab.secrets)
    verdicts += broken_data(answer)
    return verdicts


_WAITING = frozenset(
    "wait waits poll watch listen sleep tail follow monitor until long slow delay".split()
)


def waits(tool: str, arguments: Json) -> bool:
    """Return True for a tool or an argument whose name suggests that the call takes long."""
    names = [tool, *(arguments if is_object(arguments) else ())]
    return any(token in _WAITING for name in names for token in words_of(name))


def broken_data(answer: Answer) -> Iterator[Verdict]:
    """Judge the data of content blocks: Base64, and the bytes of its MIME type."""
    for pointer_, problem in contents.problems(answer.result):
        pattern = re.sub(r"/\d+", "/*", pointer_)
        yield Verdict("C105", f"{pointer_}: {problem}", pattern, answer.display_text())


def faults(answer: Answer, limit: float) -> Iterator[Verdict]:
    """Yield the verdicts on a missing response."""
    match answer.fault:
        case Fault.CLOSED:
            yield Verdict("C301", answer.message, "", answer.display_text())
        case Fault.SILENT:
            yield Verdict("C302", f"within {limit:g} seconds", "", answer.display_text())
            if answer.message:
                yield Verdict("C303", answer.message, "", answer.display_text())
        case Fault.UNREADABLE:
            yield Verdict("C103", answer.message, "", answer.display_text())
        case None:
            return


def protocol(answer: Answer, definition: str, revision: str) -> Iterator[Verdict]:
    """Validate a result against the official schema of the revision."""
    if answer.result is None:
        return
    for problem in messages.problems(revision, definition, answer.result)[:3]:
        pattern = re.sub(r"/\d+", "/*", problem.pointer)
        detail = f"{problem.pointer or 'the result'}: {problem.reason}"
        yield Verdict("C103", detail, pattern, answer.display_text())


def of_error(answer: Answer, *, is_valid: bool = False) -> Iterator[Verdict]:
    """Judge the text of an error. ``is_valid`` means that the schema allows the call."""
    text = answer.text().strip()
    if _says_nothing(text):
        detail = f"it says {text[:40]!r}" if text else "the message is empty"
        yield Verdict("C501", detail, "", answer.display_text())
    elif match := _CRASH.search(text):
        yield Verdict("C203", brief(_around(text, match), 120), "", answer.display_text())
    elif answer.code == INTERNAL_ERROR:
        yield Verdict("C206" if is_valid else "C204", brief(text, 100), "", answer.display_text())


_NOTHING = re.compile(
    r"(?:an? )?(?:unknown |unexpected |internal |server |tool |unspecified )*"
    r"(?:error|exception|failed|failure|fail|null|none|undefined|nan|false|true|-?\d+"
    r"|\[object object\]|\{\}|\[\]|something went wrong|bad request|oops|err|ko|no)?"
    r"(?: (?:occurred|has occurred|happened))?[\s.!:]*",
    re.IGNORECASE,
)


def _says_nothing(text: str) -> bool:
    return bool(_NOTHING.fullmatch(text))


_CRASH = re.compile(
    r"Traceback \(most recent call last\)"
    r"|\n\s+at \S.*\(?[\w/\\.:-]+:\d+:\d+\)?"
    r"|File \"[^\"]+\", line \d+"
    r"|Cannot read propert(?:y|ies) .{0,40}of (?:undefined|null)|is not (?:a function|iterable)\b"
    r"|'\w+' object (?:has no attribute|is not (?:subscriptable|iterable|callable))"
    r"|unsupported operand type|(?:list|string|tuple) index out of range"
    r"|(?:list|string|tuple) indices must be|unhashable type|takes \d+ positional argument"
    r"|(?:got an unexpected keyword|missing \d+ required positional) argument"
    r"|'[<>]=?' not supported between|argument of type '\w+' is not iterable"
    r"|division by zero|invalid literal for int\(\)|maximum recursion depth|RecursionError"
    r"|maximum call stack|panicked at|nil pointer dereference|NullPointerException|\bpanic: "
    r"|can only concatenate str|expected string or bytes-like|UnicodeEncodeError|UnicodeDecodeError"
    r"|codec can't (?:en|de)code|not JSON serializable"
    r"|\b(?:KeyError|TypeError|AttributeError|IndexError|ZeroDivisionError|NameError"
    r"|AssertionError|UnboundLocalError|ReferenceError|RangeError)\b(?=[:(]|$)",
)


def _around(text: str, match: re.Match[str]) -> str:
    return text[max(0, match.start() - 40) : match.end() + 60]


def _accepted_violation(lab: RunContext, error: Any, answer: Answer) -> Verdict:
    """Return the verdict for accepted arguments that violate the schema.

    If the server refuses true for another number, or unknown members elsewhere, this is an
    oversight.
    """
    at = pointer(error.absolute_path)
    keyword = str(error.validator)
    detail = f"{at or 'arguments'}: {brief(error.message, 100)}"
    judge = "C201"
    is_oversight = _is_true(error) and json.dumps(error.validator_value) in lab.refuses_true
    is_converted = keyword == "type" and _is_converted(error) and not is_oversight
    if is_converted or (keyword in ("anyOf", "oneOf") and error.instance is None):
        judge = "C202"
    elif keyword in ("additionalProperties", "unevaluatedProperties") and UNKNOWN in str(
        error.message
    ):
        judge, at = ("C201", at) if lab.strict else ("C205", "")
    return Verdict(judge, detail, f"{at} {keyword}", answer.display_text())


def _is_true(error: Any) -> bool:
    """Return True for the value true if the schema requires another type."""
    return error.validator == "type" and error.instance is True


def _is_converted(error: Any) -> bool:
    """Return True if a value may be converted to the type that the schema requires."""
    value, keyword_value = error.instance, error.validator_value
    kinds: set[Any] = {*keyword_value} if is_array(keyword_value) else {keyword_value}
    if value is None:
        return bool(error.absolute_path)
    if isinstance(value, bool):
        return bool(kinds & {"integer", "number", "string"})
    if isinstance(value, int | float):
        return "string" in kinds or ("boolean" in kinds and value in (0, 1))
    if isinstance(value, str):
        if kinds & {"integer", "number"} and re.fullmatch(r"-?\d+(\.\d+)?", value.strip()):
            return True
        return "boolean" in kinds and value.lower() in ("true", "false", "yes", "no", "1", "0")
    return False


def _output(lab: RunContext, tool: str, answer: Answer) -> Iterator[Verdict]:
    schema = lab.output(tool)
    if schema is None or not schema.is_judged:
        return
    if not answer.has_structured():
        yield Verdict("C102", "", "", answer.display_text())
        return
    for error in schema.errors(answer.structured_content())[:3]:
        at = pointer(error.absolute_path)
        pattern = re.sub(r"/\d+", "/*", at) + f" {error.validator}"
        detail = f"{at or 'the result'}: {brief(error.message)}"
        yield Verdict("C101", detail, pattern, answer.display_text())


def _fits(lab: RunContext, tool: str, answer: Answer) -> bool:
    schema = lab.output(tool)
    return (
        schema is not None
        and answer.has_structured()
        and schema.allows(answer.structured_content())
    )
