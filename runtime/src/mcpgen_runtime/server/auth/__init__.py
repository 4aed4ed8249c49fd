"""Authorization of a server over HTTP: tokens, scopes and challenges."""
