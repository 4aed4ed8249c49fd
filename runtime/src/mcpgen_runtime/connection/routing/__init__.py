"""The way to a server: a URL, a command or the recorded one, and the transport to it."""
