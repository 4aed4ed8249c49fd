"""Plans the cases: each module for the check with the same name."""
