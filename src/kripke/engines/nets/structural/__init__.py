"""What the structure of a net tells, used by the engines: goals on smaller nets, firings in some order."""
