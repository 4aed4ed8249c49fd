"""What `diff`, `lint`, `test` and `check` find: rules, severities, findings, policies, reports."""
