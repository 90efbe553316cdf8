"""``Started``: a model that starts in a state of our choice, so that every search can go on from anywhere."""

from __future__ import annotations

from kripke.model.capabilities.compilable import c_source
from kripke.model.model import Model, Transition
from kripke.model.wrapper import Wrapper


class Started(Wrapper):
    """The states of the model, from one of them on. The compiled form differs in its ``initial`` alone."""

    def __init__(self, model: Model, start: bytes) -> None:
        super().__init__(model)
        self.start = start

    def inner_state(self, state: bytes) -> bytes:
        return state

    def initial(self) -> list[bytes]:
        return [self.start]

    def initial_violations(self) -> list[Transition]:
        return []

    def successors(self, state: bytes) -> list[Transition]:
        return self.base.successors(state)

    def emit_c(self, *, dependencies: bool = False) -> str | None:
        """The model's C under another name for its entry, and an entry that hands over the start."""
        text = c_source(self.base, dependencies=dependencies)
        if text is None:
            return None
        numbers = ",".join(map(str, self.start))
        return (
            f"#define kripke_model_entry kripke_model_from_the_start\n{text}\n#undef kripke_model_entry\n"
            f"static const unsigned char kripke_start[] = {{{numbers or 0}}};\n"
            "static void kripke_start_here(kripke_sink *sink)\n{\n"
            f"    for (unsigned i = 0; i < {len(self.start)}u; ++i)\n        sink->out[i] = kripke_start[i];\n"
            f"    sink->emit(sink, {len(self.start)}u, 0);\n}}\n"
            '#ifdef __GNUC__\n__attribute__((visibility("default")))\n#endif\n'
            "const kripke_model *kripke_model_entry(void)\n{\n"
            "    static kripke_model started;\n"
            "    started = *kripke_model_from_the_start();\n"
            "    started.initial = kripke_start_here;\n    return &started;\n}\n"
        )
