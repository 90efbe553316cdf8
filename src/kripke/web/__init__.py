"""The workbench in the browser (``kripke serve``): a server on loopback, and processes that do the work for it.

``server.py`` speaks HTTP and knows the addresses, ``guard.py`` decides who may ask, ``folder.py`` which files there
are. Nothing of a model is read in the server's own process: texts are read, models explored and checks run by children
(``child.py``), each confined and limited (``confinement.py``). What they answer is in ``desks/``.
"""
