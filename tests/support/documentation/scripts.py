"""Names used by the Python examples in docs/scripts.md."""

from pathlib import Path

import bookshelf
from bookshelf import BookshelfClient

from mcpgen.contract.document import read
from mcpgen.jsontext import loads
from mcpgen.scripting import Checker, Limits, check_script, report, run_script, served_by, surface

SCRIPT = "import bookshelf\nprint((await bookshelf.take_inventory())['counted'])"
