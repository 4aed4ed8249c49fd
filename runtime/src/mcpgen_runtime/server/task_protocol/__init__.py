"""A task, and the support of tasks by each era of the protocol."""
