// Package real starts a real OpenStack Ironic from its Python packages, for the lab and for tests.
//
// The services come from the packages pinned in pins/ and run as ordinary processes on loopback ports, with SQLite
// and without hardware or a message bus. A server starts in a few seconds.
//
// venv.py creates the virtual environments on first use, in the project's cache folder; that takes about a minute and
// needs python3 and pip's package index. There are two releases: [Newest], and [Old], which many sites still run and
// which needs Python 3.11 or earlier. [Environment] also creates the environments of the releases'
// ironic-python-agent.
//
// A server's folder ([Server.Dir]) contains ironic.conf, ironic.log, the database, and http/, which this package
// serves because the conductor publishes boot images there.
package real
