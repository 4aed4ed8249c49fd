"""What every generated method calls: from typed arguments to a typed result."""
