"""So that ``python -m`` starts the server."""

from .server import main

main()
