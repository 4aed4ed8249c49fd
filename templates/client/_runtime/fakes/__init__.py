"""A client for tests that asks no server; loaded where one is made."""
