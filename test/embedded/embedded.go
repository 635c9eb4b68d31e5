// Package embedded starts the embedded Ironic in memory, for tests that would otherwise have to invent Ironic's
// responses. test/contract compares the embedded Ironic with real ones.
package embedded

import (
	"net/http"
	"testing"
	"time"

	"ironworks/ironicclient"
	"ironworks/lab/api"
	"ironworks/lab/conductor"
	"ironworks/lab/db"
	"ironworks/models"
	"ironworks/test/memnet"
)

// Ironic is an embedded API with a conductor whose periodic tasks do not run.
type Ironic struct {
	// Tables is the database. With it, a test can put nodes into any state.
	Tables *db.Store
	// Handler serves the API.
	Handler http.Handler
}

// New returns an Ironic that is stopped at the end of the test. now is the clock of its database.
func New(tb testing.TB, now func() time.Time) *Ironic {
	tb.Helper()
	tables := db.New(now)
	conducts, err := conductor.New(conductor.Options{Tables: tables})
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(conducts.Close)
	return &Ironic{Tables: tables, Handler: api.New(tables, conducts)}
}

// Client returns a client that reaches the API in memory, as testing/synctest requires.
func (i *Ironic) Client(tb testing.TB) *ironicclient.Client {
	tb.Helper()
	c, err := ironicclient.New(models.Connection{Endpoint: memnet.URL}, ironicclient.Options{Dial: memnet.Serve(tb, i.Handler).Dial})
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(c.Close)
	return c
}
