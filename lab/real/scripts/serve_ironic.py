"""Serve Ironic, API and conductor: serve_ironic.py --config-file FILE.

oslo.db begins every transaction on SQLite with a plain BEGIN, which takes the write lock
only at the first change. A transaction that has read a row by then and finds that another
one wrote meanwhile fails at once with "database is locked" (SQLITE_BUSY_SNAPSHOT), which no
timeout helps against. Here transactions that write take the lock at their beginning and wait
for it; those that only read are left alone.

oslo.db opens a connection to SQLite for each transaction, which reads the schema again: a
third of the time of all requests. Here connections are kept, as they are with other databases.

Ironic 39.0.0 derives a key from a node's BMC password for each call of the BMC, in 600 000
rounds of PBKDF2: 0.6 CPU seconds, whoever has called the BMC before. Here one round must do,
so that one computer can run Ironic and a rack of machines.

After a download into its image cache Ironic looks at every file there. A temporary directory of
another download that ends meanwhile fails the deployment with FileNotFoundError. Here Ironic
looks again.

jsonschema checks the schema, too, with each value that it validates, a tenth of the time of all
requests. The schemas are Ironic's own.
"""

import hashlib
import sys

# Importing the command first lets 21.4.4 patch threads for eventlet before anything uses them.
try:
    from ironic.command import singleprocess  # since 2025.2
except ImportError:
    from ironic.cmd import singleprocess

import jsonschema  # noqa: E402
import sqlalchemy  # noqa: E402
from ironic.drivers.modules import image_cache  # noqa: E402
from oslo_db.sqlalchemy import enginefacade, engines  # noqa: E402
from sqlalchemy import event, orm, pool  # noqa: E402

connection_args = engines._init_connection_args


def keep_connections(url, engine_args, *args, **kwargs):
    """Pool connections, as many as threads ask for."""
    connection_args(url, engine_args, *args, **kwargs)
    engine_args.update(poolclass=pool.QueuePool, pool_size=20, max_overflow=-1)
    engine_args["connect_args"]["check_same_thread"] = False


engines._init_connection_args = keep_connections

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
for validator in (value for name, value in vars(jsonschema).items() if name.endswith("Validator")):
    validator.check_schema = lambda *args, **kwargs: None
pbkdf2_hmac = hashlib.pbkdf2_hmac
hashlib.pbkdf2_hmac = lambda digest, password, salt, rounds: pbkdf2_hmac(digest, password, salt, 1)

clean_up = image_cache.ImageCache.clean_up


def clean_up_again(self, amount=None):
    """Clean the cache up, again while files vanish."""
    while True:
        try:
            return clean_up(self, amount=amount)
        except FileNotFoundError:
            continue


image_cache.ImageCache.clean_up = clean_up_again

if __name__ == "__main__":
    sys.exit(singleprocess.main())
