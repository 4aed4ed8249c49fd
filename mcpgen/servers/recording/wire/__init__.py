"""Opens a session with a server, lists its definitions, and records the raw messages."""
