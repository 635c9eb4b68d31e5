"""Serve Ironic, API and conductor: serve_ironic.py --config-file FILE.

oslo.db begins every transaction on SQLite with a plain BEGIN, which takes the write lock
only at the first change. A transaction that has read a row by then and finds that another
one wrote meanwhile fails at once with "database is locked" (SQLITE_BUSY_SNAPSHOT), which no
timeout helps against. Here transactions that write take the lock at their beginning and wait
for it; those that only read are left alone.

Ironic 39.0.0 derives a key from a node's BMC password for each call of the BMC, in 600 000
rounds of PBKDF2: 0.6 CPU seconds, whoever has called the BMC before. Here each key is derived
once, so that one computer can run Ironic and a rack of machines.
"""

import functools
import hashlib
import sys

# Importing the command first lets 21.4.4 patch threads for eventlet before anything uses them.
try:
    from ironic.command import singleprocess  # since 2025.2
except ImportError:
    from ironic.cmd import singleprocess

import sqlalchemy  # noqa: E402
from oslo_db.sqlalchemy import enginefacade  # noqa: E402
from sqlalchemy import event, orm  # noqa: E402

create_session = enginefacade._TransactionFactory._create_session


def create_marked_session(self, mode, bind=None):
    """Create a session that knows whether it is to write."""
    session = create_session(self, mode=mode, bind=bind)
    session.info["writes"] = mode is enginefacade._WRITER
    return session


def lock_writers(session, transaction, connection):
    """Begin the transaction of a writer anew, with the write lock."""
    if session.info.get("writes") and transaction.parent is None:
        connection.execute(sqlalchemy.text("ROLLBACK"))
        connection.execute(sqlalchemy.text("BEGIN IMMEDIATE"))


enginefacade._TransactionFactory._create_session = create_marked_session
event.listen(orm.Session, "after_begin", lock_writers)
hashlib.pbkdf2_hmac = functools.cache(hashlib.pbkdf2_hmac)

if __name__ == "__main__":
    sys.exit(singleprocess.main())
