package api

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"maps"
	"mime"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"ironworks/lab/db"
)

// call represents one request to the API, including its parsed headers, path and body.
type call struct {
	api     *API
	request *http.Request
	minor   int    // minor number of the requested API version
	url     string // scheme and host that the client used to reach the server
	path    []string
	raw     []byte
	// values holds the arguments from the query and, if the body is an object, from the body.
	values map[string]any
	// malformed is the error to return if the body is not valid text.
	malformed error
	// suffix reports whether .json was cut off the path.
	suffix bool

	status   int
	location string
}

func (c *call) ctx() context.Context { return c.request.Context() }

func (c *call) tables() *db.Store { return c.api.tables }

func (c *call) conductor() Conductor { return c.api.conductor }

// atLeast reports whether the requested API version is 1.minor or newer.
func (c *call) atLeast(minor int) bool { return c.minor >= minor }

func newCall(api *API, r *http.Request, raw []byte, minor int) *call {
	scheme := "http"
	if r.TLS != nil {
		scheme = "https"
	}
	c := &call{
		api: api, request: r, minor: minor, url: scheme + "://" + r.Host, raw: raw, status: http.StatusOK,
		values: map[string]any{},
	}
	path := r.URL.Path
	if trimmed := strings.TrimRight(path, "/"); strings.HasSuffix(trimmed, ".json") &&
		r.Header.Get(versionHeader) != "" && minor < 91 {
		path, c.suffix = strings.TrimSuffix(trimmed, ".json"), true
	}
	c.path = strings.Split(strings.TrimPrefix(path, "/"), "/")
	if last := len(c.path) - 1; c.path[last] == "" {
		c.path = c.path[:last]
	}
	c.takeValues(r.URL.Query())
	if r.Method != http.MethodGet {
		c.parseBody()
	}
	return c
}

func (c *call) takeValues(values url.Values) {
	for name, given := range values {
		if len(given) == 1 {
			c.values[name] = given[0]
			continue
		}
		list := make([]any, len(given))
		for i := range given {
			list[i] = given[i]
		}
		c.values[name] = list
	}
}

// parseBody converts the body, a JSON object or a form, to arguments.
func (c *call) parseBody() {
	if len(c.raw) == 0 {
		return
	}
	given := c.request.Header.Get("Content-Type")
	if given == "" && c.request.Method == http.MethodPost {
		given = "application/x-www-form-urlencoded" // WebOb's default
	}
	kind, _, err := mime.ParseMediaType(given)
	if err != nil {
		return
	}
	switch kind {
	case "application/json", "application/javascript":
		if !utf8.Valid(c.raw) {
			c.malformed = &abort{status: http.StatusBadRequest}
			return
		}
		value, err := decodeJSON(c.raw)
		object, isObject := value.(map[string]any)
		if err == nil && isObject {
			maps.Copy(c.values, object)
		}
	case "application/x-www-form-urlencoded":
		form, _ := url.ParseQuery(string(c.raw)) // a malformed form is ignored
		c.takeValues(form)
	}
}

// malformedRequest is WebOb's error message for a malformed request.
const malformedRequest = "The server could not comply with the request since it is either malformed or otherwise incorrect."

func decodeJSON(raw []byte) (any, error) {
	scanned, odd := numbersOfPython(raw)
	decoder := json.NewDecoder(bytes.NewReader(scanned))
	decoder.UseNumber()
	var value any
	if err := decoder.Decode(&value); err != nil {
		return nil, err
	}
	if _, err := decoder.Token(); !errors.Is(err, io.EOF) {
		return nil, errors.New("extra data")
	}
	if odd {
		value = withNumbersOfPython(value)
	}
	return value, nil
}

// body returns a parameter whose value is the whole request body. It is for endpoints that take the body as a single
// argument, so the keys of the body no longer count as arguments. An empty body counts as an empty object.
func (c *call) body(name string, check check) (param, error) {
	value := any(map[string]any{})
	if !utf8.Valid(c.raw) {
		return param{}, db.Faultf(http.StatusBadRequest, "", "%s", malformedRequest)
	}
	if len(c.raw) > 0 {
		decoded, err := decodeJSON(c.raw)
		if err != nil {
			// Ironic does not catch the exception of its JSON decoder.
			return param{}, pythonError("%s", jsonFault(c.raw))
		}
		value = decoded
	}
	if object, ok := value.(map[string]any); ok {
		for key := range object {
			delete(c.values, key)
		}
	}
	delete(c.values, name)
	return param{name: name, check: check, given: value, isGiven: true}, nil
}

// checkWithBody validates the arguments in params and one more: the whole request body, under the given name.
func (c *call) checkWithBody(name string, check check, params ...param) (arguments, error) {
	return c.checkArguments(append(params, wholeBody(name, check))...)
}

func (c *call) checkArguments(params ...param) (arguments, error) {
	params = slices.Clone(params)
	for i, p := range params {
		if p.body {
			var err error
			if params[i], err = c.body(p.name, p.check); err != nil {
				return nil, err
			}
		}
	}
	return checkArguments(c.values, params...)
}

// refused checks the arguments and, if they are valid, returns the given error.
func (c *call) refused(refusal error, params ...param) (any, error) {
	if _, err := c.checkArguments(params...); err != nil {
		return nil, err
	}
	return nil, refusal
}

// unexpected returns the error that Python raises for an unknown argument. It is for endpoints whose arguments Ironic
// does not check before it calls the given Python function.
func (c *call) unexpected(function string) error {
	for _, name := range slices.Sorted(maps.Keys(c.values)) {
		return pythonError("%s() got an unexpected keyword argument '%s'", function, name)
	}
	return nil
}

// onNode returns an endpoint for a node. It checks the arguments, finds the node and checks that a conductor serves
// the node, before it calls serve. refusal is the HTTP status if no conductor serves the node; 0 skips that check.
func (c *call) onNode(ident string, refusal int, serve func(*db.Node, arguments) (any, error), params ...param) endpoint {
	return func() (any, error) {
		args, err := c.checkArguments(params...)
		if err != nil {
			return nil, err
		}
		node, err := c.findNode(ident)
		if err == nil && refusal != 0 {
			err = c.served(node, refusal)
		}
		if err != nil {
			return nil, err
		}
		return serve(node, args)
	}
}

// nodeIdent returns the node_ident argument, by which most endpoints below /nodes/{node} identify the node.
func nodeIdent(ident string) param { return fromPath("node_ident", ident, checkIdent) }

// wholeBody returns an argument whose value is the whole body of the request.
func wholeBody(name string, check check) param { return param{name: name, check: check, body: true} }

// respondStarted answers a request that the conductor has started to carry out. The Location header contains the
// address of the result.
func (c *call) respondStarted(path string, err error) (any, error) {
	if err == nil {
		c.locate(path)
	}
	return nil, err
}

// endpoint serves a request. It returns the value that is sent as JSON, or an error.
type endpoint func() (any, error)

// methods maps the HTTP methods of a path to their endpoints.
type methods map[string]endpoint

// serve serves the request. further contains the parts of the path that the path must not have.
func (m methods) serve(c *call, further ...string) (any, error) {
	if serve, ok := m[c.request.Method]; ok && len(further) == 0 {
		return serve()
	}
	return nil, notAllowed(slices.Sorted(maps.Keys(m))...)
}

// since serves the request if the API version is 1.minor or newer. In older versions, GET is answered with 404, and the
// other methods with 405.
func (m methods) since(c *call, minor int, text string) (any, error) {
	if c.atLeast(minor) || m[c.request.Method] == nil {
		return m.serve(c)
	}
	if c.request.Method == http.MethodGet {
		return nil, notServed(http.StatusNotFound, text)
	}
	return nil, notServed(http.StatusMethodNotAllowed, text)
}

// withStatus wraps an endpoint so that it answers with the given status on success, instead of 200.
func (c *call) withStatus(status int, serve endpoint) endpoint {
	return func() (any, error) {
		answer, err := serve()
		if err == nil {
			c.status = status
		}
		return answer, err
	}
}

func (c *call) created(serve endpoint) endpoint  { return c.withStatus(http.StatusCreated, serve) }
func (c *call) accepted(serve endpoint) endpoint { return c.withStatus(http.StatusAccepted, serve) }

func (c *call) noContent(serve endpoint) endpoint { return c.withStatus(http.StatusNoContent, serve) }

// missing returns the endpoint for a path that lacks the named parameter. The endpoint returns an error that names
// the parameter.
func (c *call) missing(name string) endpoint {
	return func() (any, error) {
		return nil, db.Faultf(http.StatusBadRequest, "MissingParameterValue", "Missing mandatory parameter: %s", name)
	}
}

type link struct {
	Href string `json:"href"`
	Rel  string `json:"rel"`
	Type string `json:"type,omitempty"`
}

// links returns the two links that every resource has.
func (c *call) links(path string) []link {
	return []link{{Href: c.url + "/v1/" + path, Rel: "self"}, {Href: c.url + "/" + path, Rel: "bookmark"}}
}

// locate sets the Location header of the response to the address of the result.
func (c *call) locate(path string) { c.location = c.url + "/v1/" + path }

// timeText returns t in the format of the API, or null for the zero time.
func timeText(t time.Time) any {
	if t.IsZero() {
		return nil
	}
	layout := "2006-01-02T15:04:05.000000-07:00"
	if t.Nanosecond() == 0 {
		layout = "2006-01-02T15:04:05-07:00"
	}
	return t.UTC().Format(layout)
}

// orNull returns s, or null if s is empty.
func orNull(s string) any {
	if s == "" {
		return nil
	}
	return s
}

// orEmpty returns d, or an empty object if d is nil.
func orEmpty(d db.Dict) db.Dict {
	if d == nil {
		return db.Dict{}
	}
	return d
}

// valueOrNull returns the value to which p points, or null if p is nil.
func valueOrNull[T any](p *T) any {
	if p == nil {
		return nil
	}
	return *p
}
