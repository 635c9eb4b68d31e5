package contract

import (
	"database/sql"
	"path/filepath"
	"testing"

	_ "modernc.org/sqlite"

	"ironworks/lab/real"
	"ironworks/test/ironic"
)

// settings returns the configuration settings that the behaviors need in addition to those of the test harness.
func settings(release ironic.Release) map[string]map[string]string {
	s := map[string]map[string]string{
		"DEFAULT": {"enabled_bios_interfaces": "fake,no-bios,redfish"},
		// The power synchronization is off, because it locks nodes, and calls would then sometimes get a 409. The
		// limits on concurrent operations are high, because nodes that a test puts into a state and leaves there
		// count toward them. The periodic check for allocations is off, because allocations are processed when they
		// are created.
		"conductor": {
			"sync_power_state_interval": "100000", "check_allocations_interval": "100000",
			"max_concurrent_clean": "100000", "max_concurrent_deploy": "100000",
		},
	}
	if release != ironic.Old {
		s["DEFAULT"]["enabled_firmware_interfaces"] = "no-firmware,fake,redfish"
	}
	return s
}

// StartReal starts a real Ironic that stops when the test ends.
func StartReal(t *testing.T, release ironic.Release) *Subject {
	t.Helper()
	server := ironic.StartT(t, ironic.Options{Release: release, Settings: settings(release)})
	database := openDatabase(t, filepath.Join(server.Dir, real.Database))
	s := &Subject{
		Name: release.Name(), Kind: Newest, URL: server.URL, MaxMinor: release.MaxMinor(), Client: server.Client(),
		SetState: func(tb testing.TB, uuid, provisionState, targetState string) {
			tb.Helper()
			setNode(tb, database, "provision_state = ?, target_provision_state = NULLIF(?, '')",
				provisionState, targetState, uuid)
		},
		Reserve: func(tb testing.TB, uuid, host string) {
			tb.Helper()
			setNode(tb, database, "reservation = NULLIF(?, '')", host, uuid)
		},
	}
	if release == ironic.Old {
		s.Kind = Old
	}
	return s
}

// openDatabase opens the database of a real Ironic, because no API call puts a node into most states.
func openDatabase(t *testing.T, path string) *sql.DB {
	t.Helper()
	// Ironic may hold the lock for a moment.
	db, err := sql.Open("sqlite", "file:"+path+"?_pragma=busy_timeout(60000)")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = db.Close() })
	return db
}

// setNode sets columns of a node's row. The last value is the node's UUID.
func setNode(tb testing.TB, db *sql.DB, columns string, values ...any) {
	tb.Helper()
	statement := "UPDATE nodes SET " + columns + " WHERE uuid = ?" //nolint:gosec // our own columns
	result, err := db.ExecContext(tb.Context(), statement, values...)
	if err != nil {
		tb.Fatalf("writing to the database of Ironic: %v", err)
	}
	if n, err := result.RowsAffected(); n != 1 || err != nil {
		tb.Fatalf("setting %s of a node to %q: %d rows changed, error %v", columns, values, n, err)
	}
}
