"""Starts the server with ``python -m``."""

from .server import main

main()
