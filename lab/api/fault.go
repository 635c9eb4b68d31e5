package api

import (
	"errors"
	"maps"
	"net/http"
	"strings"

	"ironworks/lab/db"
)

// abort is an error that Ironic's web framework raises, for example for an unknown route, a method that is not
// allowed, or a version that is not served. Its body differs from that of Ironic's own errors, and the response has
// no version headers.
type abort struct {
	status      int
	description string
	header      http.Header
}

func (a *abort) Error() string { return a.description }

var errNoRoute = &abort{status: http.StatusNotFound}

// notAllowed returns a 405 error that lists the allowed methods.
func notAllowed(methods ...string) *abort {
	return &abort{
		status: http.StatusMethodNotAllowed, header: http.Header{"Allow": {strings.Join(methods, ", ")}},
	}
}

// tooOld returns the error for a path below a collection that does not exist in the requested API version. The status
// is 404 for GET and 405 for other methods.
func (c *call) tooOld(description string) error {
	status := http.StatusMethodNotAllowed
	if c.request.Method == http.MethodGet {
		status = http.StatusNotFound
	}
	return &abort{status: status, description: description}
}

func invalid(format string, args ...any) error {
	return db.Faultf(http.StatusBadRequest, "Invalid", format, args...)
}

func invalidValue(format string, args ...any) error {
	return db.Faultf(http.StatusBadRequest, "InvalidParameterValue", format, args...)
}

func conflict(format string, args ...any) error {
	return db.Faultf(http.StatusConflict, "ClientSideError", format, args...)
}

func notFound() error {
	return db.Faultf(http.StatusNotFound, "NotFound", "Resource could not be found.")
}

// noSuchResource returns the framework's 404 in Ironic's error format. It is for places where Ironic catches the
// framework's exception.
func noSuchResource() error {
	return db.Faultf(http.StatusNotFound, "HTTPNotFound", "The resource could not be found.")
}

func notAcceptable() error {
	return db.Faultf(http.StatusNotAcceptable, "NotAcceptable", "Request not acceptable.")
}

// needsVersion is like [notAcceptable], but its message names the required version.
func needsVersion(minor int) error {
	return db.Faultf(http.StatusNotAcceptable, "NotAcceptable",
		"Request not acceptable. The minimal required API version should be 1.%d", minor)
}

func malformedURI() error {
	return db.Faultf(http.StatusBadRequest, "MalformedRequestURI", "Malformed request URI.")
}

// pythonError returns the error that Ironic sends for an unexpected Python exception.
func pythonError(format string, args ...any) error {
	return db.Faultf(http.StatusInternalServerError, "", format, args...)
}

// withStatus changes the HTTP status of err if err is a fault of the given kind, and otherwise returns err unchanged.
// Ironic changes the status in this way if the request's body names a missing node.
func withStatus(err error, kind string, status int) error {
	fault, ok := errors.AsType[*db.Fault](err)
	if !ok || fault.Kind != kind {
		return err
	}
	changed := *fault
	changed.Status = status
	return &changed
}

func isKind(err error, kind string) bool {
	fault, ok := errors.AsType[*db.Fault](err)
	return ok && fault.Kind == kind
}

// writeError sends err as Ironic does: the body is a JSON object whose error_message is a string that contains
// another JSON object.
func writeError(w http.ResponseWriter, err error) {
	var status int
	var inner document
	if stop, ok := errors.AsType[*abort](err); ok {
		status = stop.status
		inner = inOrder("abort", map[string]any{
			"code": status, "title": http.StatusText(status), "description": stop.description,
		})
		for _, name := range []string{versionHeader, minVersionHeader, maxVersionHeader} {
			w.Header().Del(name)
		}
		maps.Copy(w.Header(), stop.header)
	} else {
		code, text := "Server", err.Error()
		status = http.StatusInternalServerError
		if fault, ok := errors.AsType[*db.Fault](err); ok {
			status, text = fault.Status, fault.Text
		}
		if status < http.StatusInternalServerError {
			code = "Client"
		}
		inner = inOrder("fault", map[string]any{"faultcode": code, "faultstring": text, "debuginfo": nil})
	}
	writeJSON(w, status, map[string]string{"error_message": string(encode(inner))})
}

func writeJSON(w http.ResponseWriter, status int, body any) {
	content := encode(body)
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_, _ = w.Write(content) //nolint:gosec // JSON is safe to write, and the client may be gone
}
