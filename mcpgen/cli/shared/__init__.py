"""Code that several commands share: options, output, reports, and completion in a shell."""
