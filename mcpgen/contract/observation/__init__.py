"""What servers really answer: read, told apart, and generalised to the shapes of results."""
