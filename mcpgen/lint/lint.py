"""All checks of a contract; what fails for one definition costs that one alone."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from mcpgen.contract import definitions
from mcpgen.contract.document import Contract
from mcpgen.errors import Notice
from mcpgen.findings.lint import Found
from mcpgen.isolation import failure_notices, isolate
from mcpgen.lint.checks import hints, inputs, names, notices, offered, outputs, texts
from mcpgen.lint.checks.linted import linted


def lint(
    contract: Contract, noticed_before: Sequence[Notice] = ()
) -> tuple[tuple[Found, ...], tuple[Notice, ...]]:
    """Return what breaks a rule, in the order of the contract, and what could not be looked at.

    What was noticed when the contract was made breaks rules too; the rest of it is given back.
    """
    found, failures = isolate(_found, contract)
    before = [*notices.check(noticed_before)]
    others = [notice for notice in noticed_before if not notices.is_rule(notice)]
    return _in_order([*before, *found]), (*others, *failure_notices(failures))


def _found(contract: Contract) -> list[Found]:
    tools = linted(contract)
    return [
        *notices.check(definitions.read(contract).notices),
        *names.check(tools),
        *texts.check(tools),
        *inputs.check(tools),
        *outputs.check(tools, contract.revision),
        *hints.check(tools),
        *offered.check(contract, tools),
    ]


def _in_order(found: Iterable[Found]) -> tuple[Found, ...]:
    return tuple(sorted(dict.fromkeys(found), key=lambda f: (f.subject, f.pointer, f.rule)))
