"""``python -m mcpgen`` is the command ``mcpgen``."""

from mcpgen.cli import main

if __name__ == "__main__":
    main()
