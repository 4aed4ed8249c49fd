"""A task, and what each era of the protocol says of tasks: capabilities, and who supports them."""
