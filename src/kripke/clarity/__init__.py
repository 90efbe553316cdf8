"""A trace made short and clear: fewer steps, fewer context switches, the deciding step marked."""
