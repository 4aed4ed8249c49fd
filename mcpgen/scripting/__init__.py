"""Checks scripts written by models against the servers' stubs, and runs them."""

from mcpgen.scripting.broker import Call, Limits, ScriptServer, ToolCall
from mcpgen.scripting.checks.script import Checker, check_script
from mcpgen.scripting.generated import served_by
from mcpgen.scripting.run import Outcome, run_script
from mcpgen.scripting.surface import Surface, surface
from mcpgen.scripting.syntax import Finding, report

__all__ = [
    "Call",
    "Checker",
    "Finding",
    "Limits",
    "Outcome",
    "ScriptServer",
    "Surface",
    "ToolCall",
    "check_script",
    "report",
    "run_script",
    "served_by",
    "surface",
]
