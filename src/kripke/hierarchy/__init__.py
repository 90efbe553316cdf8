"""The family of hierarchic machines: trees of modes or states, their macro steps, their drawing."""
