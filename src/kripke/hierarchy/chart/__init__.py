"""Charts: state machines with nested states, regions and events (SCXML, UML)."""
