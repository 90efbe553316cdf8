"""From the syntax tree of Promela to a process program: names, types, control flow."""
