"""The one checker: what is asked for, the engines that answer, and one result from all answers."""
