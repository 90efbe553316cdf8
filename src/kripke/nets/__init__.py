"""The family of Petri nets: place/transition nets, and what is unfolded to them."""
