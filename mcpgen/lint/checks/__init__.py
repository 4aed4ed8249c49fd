"""Where the rules are not kept: each module looks at one side of what a server offers."""
