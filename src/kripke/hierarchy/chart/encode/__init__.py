"""Charts of fixed form in terms: their states as variables, their steps as guarded commands."""
