// Package api implements the HTTP API of the embedded Ironic. It answers like Ironic 39.0.0 without authentication,
// in API versions 1.1 to 1.115.
//
// It checks requests in Ironic's order and with its messages, even where Ironic's answer is an accident of its
// implementation. It leaves changes to a [Conductor] and reads data from the tables.
package api

import (
	"fmt"
	"maps"
	"net/http"
	"strings"

	"github.com/google/uuid"

	"ironworks/lab/db"
)

// API serves Ironic's HTTP API. It stores nothing itself: all data is in the tables and in the conductor.
type API struct {
	tables    *db.Store
	conductor Conductor
}

// New returns an API that reads from the given tables and calls the given conductor.
func New(tables *db.Store, conductor Conductor) *API {
	return &API{tables: tables, conductor: conductor}
}

// ServeHTTP implements [http.Handler].
func (a *API) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	id := "req-" + uuid.NewString()
	w.Header().Set("X-Openstack-Request-Id", id)
	w.Header().Set("Openstack-Request-Id", id)
	if r.Method == http.MethodOptions {
		w.WriteHeader(http.StatusOK)
		return
	}
	raw, ok := readBody(w, r)
	if !ok {
		return
	}
	minor, refusal := requestedVersion(r.Header)
	switch {
	case refusal != nil && r.URL.Path == "/": // Ironic catches the framework's exception
		maps.Copy(w.Header(), refusal.header)
		writeError(w, db.Faultf(refusal.status, "", "%s", refusal.description))
		return
	case refusal != nil:
		writeError(w, refusal)
		return
	case !acceptsJSON(r.Header):
		refuseAccept(w, r.Header.Get("Accept"))
		return
	}
	w.Header().Set(minVersionHeader, versionText(minMinor))
	w.Header().Set(maxVersionHeader, versionText(maxMinor))
	w.Header().Set(versionHeader, versionText(minor))

	c := newCall(a, r, raw, minor)
	answer, err := c.route() //nolint:contextcheck // a call has its request's context
	if c.location != "" {
		w.Header().Set("Location", c.location)
	}
	if err != nil {
		writeError(w, err)
		return
	}
	if c.status == http.StatusNoContent || answer == nil && c.status == http.StatusAccepted {
		w.WriteHeader(c.status)
		return
	}
	writeJSON(w, c.status, answer)
}

// acceptsJSON reports whether the client accepts JSON. A client without an Accept header accepts JSON.
func acceptsJSON(header http.Header) bool {
	accept := header.Get("Accept")
	if accept == "" {
		return true
	}
	for entry := range strings.SplitSeq(accept, ",") {
		kind, _, _ := strings.Cut(entry, ";")
		switch strings.TrimSpace(kind) {
		case "*/*", "application/*", "application/json":
			return true
		}
	}
	return false
}

// refuseAccept answers a client that does not accept JSON. Like Ironic, it still sends JSON, which contains the error
// as plain text or HTML.
func refuseAccept(w http.ResponseWriter, accept string) {
	text := fmt.Sprintf("406 Not Acceptable\n\nThe resource could not be generated that was acceptable to your browser "+
		"(content of type %s. \n\n ", accept)
	if strings.Contains(accept, "text/html") {
		text = "<html>\n <head>\n  <title>406 Not Acceptable</title>\n </head>\n <body>\n  <h1>406 Not Acceptable</h1>\n" +
			"  The resource could not be generated that was acceptable to your browser\n(content of type text/html. " +
			"<br /><br />\n\n </body>\n</html>"
	}
	writeJSON(w, http.StatusNotAcceptable, map[string]string{"error_message": text})
}
