"""Tools of several servers."""

from __future__ import annotations

from runtime.packages import import_client
from skeletons import demo

BOOKSHELF = import_client(demo(), "several_bookshelf")
