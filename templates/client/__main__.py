"""Calls the tools of the server from a shell, by ``python -m`` and this package."""

from ._runtime.shell import main

if __name__ == "__main__":
    raise SystemExit(main())
