// Package embedded starts the lab's Ironic in memory, for tests that would otherwise make
// answers of Ironic up. test/contract compares it with the real ones.
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

// Ironic is an API with a conductor that does nothing by itself.
type Ironic struct {
	// Tables is the database: a test puts nodes into any state there.
	Tables *db.Store
	// Handler is the API.
	Handler http.Handler
}

// New makes one that ends with the test. Now is the time of the database.
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

// Client makes a client that reaches the API in memory, as a bubble of testing/synctest
// needs it.
func (i *Ironic) Client(tb testing.TB) *ironicclient.Client {
	tb.Helper()
	c, err := ironicclient.New(models.Connection{Endpoint: memnet.URL}, ironicclient.Options{Dial: memnet.Serve(tb, i.Handler).Dial})
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(c.Close)
	return c
}
