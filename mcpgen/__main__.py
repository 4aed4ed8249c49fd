"""``python -m mcpgen`` is the command ``mcpgen``."""

import os
import sys
from pathlib import Path

# Python searches the current folder for modules first, which may contain an unrelated `json.py`.
try:
    if sys.path[0] in ("", os.getcwd()) and Path.cwd() != Path(__file__).parent.parent:  # noqa: PTH109 - as Python wrote it
        del sys.path[0]
except FileNotFoundError:  # the folder was deleted
    del sys.path[0]

from mcpgen.cli import main

if __name__ == "__main__":
    main()
