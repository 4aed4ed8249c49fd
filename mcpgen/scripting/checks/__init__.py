"""Checks a script before it runs: types, features of the sandbox, and suggested corrections."""
