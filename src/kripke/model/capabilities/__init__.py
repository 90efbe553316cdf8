"""Capabilities: what a model may know beyond its steps, each a protocol of its own in a file of its own.

A model has a capability by having its members; nothing need be inherited, though a class that names the protocol among
its bases has its signatures checked. Engines never ask of which family a model is; they ask for what they need:

    events = model.capability(Events)
    if events is None:
        raise Unsupported("this needs a model whose steps have events")

So they see through wrappers, which say what survives in them (``wrapper.py``). In the methods of a capability a
parameter ``state``, or one whose name ends in ``_state``, is a state of the model, and no other parameter is.
"""
