"""Where the work of the workbench is done: each module is a process of its own that answers one sort of question."""
