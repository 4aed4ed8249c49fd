"""Names used by the Python examples in docs/connecting.md."""

import json
import os
import sys
from pathlib import Path
from typing import Any

from bookshelf import BookshelfClient, connect_all, connect_all_sync
from mcp import StdioServerParameters, stdio_client

WeatherClient = BookshelfClient

token = "secret"
command = StdioServerParameters(command=sys.executable, args=["-I", "-m", "mcpgen.demo"])
