"""The tools of a client for models: what is offered to them, and what they are told."""
