"""Rules, severities, findings, policies and reports of `diff`, `lint`, `test` and `check`."""
