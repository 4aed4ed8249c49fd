"""Words of a command line as arguments of a tool, for mcpgen and for packages."""
