"""Which steps of a process program depend on each other: footprints of edges and the tables made of them.

``objects`` numbers what steps can touch, ``stability`` tells which variables can still change, ``footprint`` collects
what operations read and write and ``steps`` what whole steps do, ``guards`` and ``conditions`` take apart why an edge
is disabled, ``tables`` compares steps, ``analysis`` is the face to the engines.
"""
