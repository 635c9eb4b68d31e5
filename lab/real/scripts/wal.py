"""Let readers and writers of a SQLite file go on beside each other: wal.py DATABASE.

Ironic asks for the same, but with the SQLAlchemy of its pins the request comes to
nothing; without it, a long list keeps every writer waiting. The file remembers it.
"""

import sqlite3
import sys

db = sqlite3.connect(sys.argv[1], timeout=30)
(mode,) = db.execute("PRAGMA journal_mode=WAL").fetchone()
if mode != "wal":
    sys.exit(f"{sys.argv[1]} stays in journal mode {mode}")
