"""Plans the cases: each module makes those of the check with the same name."""
