"""Pictures of graphs: automata, nets, small state spaces, laid out in layers and written as SVG or for Graphviz."""
