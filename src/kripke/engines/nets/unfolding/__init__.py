"""Unfoldings: runs of a net as a net, in which what is independent stays unordered."""
