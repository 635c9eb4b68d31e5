package api

import (
	"errors"
	"maps"
	"net/http"

	"ironworks/lab/db"
)

// API answers as Ironic's API does. It keeps nothing of its own.
type API struct {
	tables    *db.Store
	conductor Conductor
}

// New makes the API over its tables and its conductor.
func New(tables *db.Store, conductor Conductor) *API {
	return &API{tables: tables, conductor: conductor}
}

// ServeHTTP answers one request.
func (a *API) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	id := "req-" + db.NewUUID()
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
	minor, err := requestedVersion(r.Header)
	if err != nil {
		if r.URL.Path == "/" {
			if stop, ok := errors.AsType[*abort](err); ok {
				maps.Copy(w.Header(), stop.header)
			}
			err = caughtAbort(err)
		}
		writeError(w, err)
		return
	}
	w.Header().Set(minVersionHeader, versionText(minMinor))
	w.Header().Set(maxVersionHeader, versionText(maxMinor))
	w.Header().Set(versionHeader, versionText(minor))

	if !acceptsJSON(r.Header) {
		for _, name := range []string{versionHeader, minVersionHeader, maxVersionHeader} {
			w.Header().Del(name)
		}
		refuseAccept(w, r.Header.Get("Accept"))
		return
	}
	c := newCall(a, r, raw, minor)
	answer, err := c.route() //nolint:contextcheck // a call has its request's context
	if err != nil {
		writeError(w, err)
		return
	}
	if c.location != "" {
		w.Header().Set("Location", c.location)
	}
	if c.status == http.StatusNoContent || answer == nil && c.status == http.StatusAccepted {
		w.WriteHeader(c.status)
		return
	}
	writeJSON(w, c.status, answer)
}

// caughtAbort is an abort that was raised where Ironic catches it.
func caughtAbort(err error) error {
	if stop, ok := err.(*abort); ok { //nolint:errorlint // it was just made
		return db.Faultf(stop.status, "", "%s", stop.description)
	}
	return err
}
