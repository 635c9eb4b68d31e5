// Package ironic starts a real OpenStack Ironic, and a real Keystone, for
// tests.
//
// Nothing is imitated: the services come from the Python packages pinned in
// pins/ and run as ordinary processes on loopback ports, with SQLite and
// without hardware or a message bus. A server is up in a few seconds:
//
//	for _, release := range ironic.Releases(t) {
//		t.Run(release.Name(), func(t *testing.T) {
//			s := ironic.StartT(t, ironic.Options{Release: release})
//			uuid := s.CreateNode(t, map[string]any{"name": "n1"})
//			status, body, err := s.Do(t.Context(), "GET", "/v1/nodes/"+uuid, nil)
//			…
//		})
//	}
//
// The virtual environments are made by venv.py on first use, in the cache
// folder of the project; that takes about a minute and needs python3 and the
// package index that pip is set up for. Two releases are covered: [Newest],
// and [Old], which many sites still run and which needs Python 3.11 or
// earlier.
//
// What a server writes is in its folder ([Server.Dir]): ironic.conf,
// ironic.log, the database, and http/, which the harness serves because the
// conductor publishes boot images there. After a failed test the folder stays.
//
// For a look by hand: go run ./test/ironic/cmd/run.
package ironic
