// Package real starts a real OpenStack Ironic from its Python packages, for the
// lab and for tests.
//
// Nothing is imitated: the services come from the packages pinned in pins/ and
// run as ordinary processes on loopback ports, with SQLite and without
// hardware or a message bus. A server is up in a few seconds.
//
// The virtual environments are made by venv.py on first use, in the cache
// folder of the project; that takes about a minute and needs python3 and the
// package index that pip is set up for. Two releases are covered: [Newest],
// and [Old], which many sites still run and which needs Python 3.11 or
// earlier. [Environment] makes those of their ironic-python-agent, too.
//
// What a server writes is in its folder ([Server.Dir]): ironic.conf,
// ironic.log, the database, and http/, which this package serves because the
// conductor publishes boot images there.
package real
