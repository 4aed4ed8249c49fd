"""Scripts that a model wrote: checked against the stubs before the first call, then run."""

from mcpgen.scripting.check import Checker, check_script
from mcpgen.scripting.findings import Finding, report
from mcpgen.scripting.surface import Surface, surface

__all__ = ["Checker", "Finding", "Surface", "check_script", "report", "surface"]
