"""Values checked in bounded time: what mcpgen runs itself and copies into packages."""
