"""What the reports of findings share: rules by name, known findings, where they are, SARIF."""
