"""What a server offers: read, written and hashed as a file, checked entry by entry, scaffolded."""
