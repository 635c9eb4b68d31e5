"""Sets columns of nodes in the database of an Ironic: one JSON object a line.

The arguments are the file and the journal mode of SQLite. "wal" is for an
Ironic with several threads, whose readers would otherwise keep its writers
waiting until they give up. "delete" is for one whose threads take turns: there
the whole file is locked at once or not at all, since SQLite fails a
transaction that has read, and is about to write when another has just done so.
"""

import json
import sqlite3
import sys
import time

connection = sqlite3.connect(sys.argv[1], timeout=0, isolation_level=None)


def insist(statement):
    for _ in range(5000):
        try:
            return connection.execute(statement)
        except sqlite3.OperationalError:
            time.sleep(0.002)
    return connection.execute(statement)


mode = insist(f"PRAGMA journal_mode = {sys.argv[2]}").fetchone()[0]
if mode != sys.argv[2]:
    sys.exit(f"the journal of the database is {mode}")
print("ready", flush=True)

for line in sys.stdin:
    change = json.loads(line)
    columns = change["columns"]
    insist("BEGIN EXCLUSIVE")
    cursor = connection.execute(
        "UPDATE nodes SET " + ", ".join(f"{name} = ?" for name in columns) + " WHERE uuid = ?",
        [*columns.values(), change["uuid"]],
    )
    connection.execute("COMMIT")
    print(cursor.rowcount, flush=True)
