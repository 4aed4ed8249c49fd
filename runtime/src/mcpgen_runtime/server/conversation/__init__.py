"""What a method asks the client for: a form for its user, or a message of its model."""
