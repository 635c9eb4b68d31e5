// Package ironic starts a real OpenStack Ironic, and a real Keystone, for tests,
// with [ironworks/lab/real], and stops them when the test ends:
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
// After a failed test, the server's folder is kept.
//
// To start a server by hand: go run ./test/ironic/cmd/run.
package ironic
