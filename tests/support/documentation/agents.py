"""What the Python in docs/agents.md takes for granted."""

from pathlib import Path

import library
from library import LibraryClient

from mcpgen.contract.document import read
from mcpgen.jsontext import loads
from mcpgen.scripting import Checker, Limits, check_script, report, run_script, served_by, surface

SCRIPT = "import library\nprint((await library.take_inventory())['counted'])"
