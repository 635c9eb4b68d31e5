"""Set columns of nodes in Ironic's database: column.py DATABASE; reads one JSON object per line."""

import json
import sqlite3
import sys

# Ironic may hold the lock for a moment.
connection = sqlite3.connect(sys.argv[1], timeout=60, isolation_level=None)
print("ready", flush=True)

for line in sys.stdin:
    change = json.loads(line)
    columns = change["columns"]
    cursor = connection.execute(
        "UPDATE nodes SET " + ", ".join(f"{name} = ?" for name in columns) + " WHERE uuid = ?",
        [*columns.values(), change["uuid"]],
    )
    print(cursor.rowcount, flush=True)
