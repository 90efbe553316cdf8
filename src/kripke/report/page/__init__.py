"""The self-contained HTML report: its data (``data.py``), its look and behaviour, and all of it in one file."""
