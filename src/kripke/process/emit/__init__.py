"""Process programs as C: ``emit_c`` gives the file that is compiled against ``model.h`` and loaded by the engine.

``driver.py`` puts the file together; ``processes.py``, ``edges.py``, ``steps.py`` write its functions with the help of
``operations.py``, ``channels.py``, ``expressions.py`` and ``scalars.py``; ``support.py`` holds what needs no program.
"""

from kripke.process.emit.driver import emit_c

__all__ = ["emit_c"]
