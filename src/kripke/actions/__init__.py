"""The family of action programs: processes that run whole actions and block in the queues of channels."""
