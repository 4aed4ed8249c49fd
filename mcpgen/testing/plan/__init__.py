"""Which cases are tried: each module makes those of the checks that it is named after."""
