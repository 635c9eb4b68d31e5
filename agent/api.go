package agent

import (
	"bytes"
	"context"
	"crypto/subtle"
	"io"
	"net"
	"net/http"
	"net/url"
	"strings"
	"time"

	"ironworks/models/hints"
)

// maxBody is the maximum size of a request body, in bytes. A configdrive alone may have 64 MiB.
const maxBody = 128 << 20

// These errors come from the service itself, not from a command.
const (
	badToken  = "401 Unauthorized: Token invalid."
	badParams = "400 Bad Request: Missing or invalid name or params"
	badJSON   = "400 Bad Request: Failed to decode JSON object: "
	notThere  = "404 Not Found: The requested URL was not found on the server. If you entered the URL manually please check your spelling and try again."
	notThat   = "405 Method Not Allowed: The method is not allowed for the requested URL."
)

// handler returns the HTTP handler of the agent's API. When ctx is canceled, calls no longer wait for commands.
func (a *agent) handler(ctx context.Context) http.Handler {
	route := func(w http.ResponseWriter, r *http.Request) {
		path, versioned := strings.CutPrefix(r.URL.Path, "/v1")
		if versioned && path == "" {
			path = "/"
		}
		id, isCommand := strings.CutPrefix(path, "/commands/")
		get := r.Method == http.MethodGet || r.Method == http.MethodHead
		switch {
		case path == "/status" && get:
			answer(w, http.StatusOK, newDict("started_at", float64(a.started.UnixMicro())/1e6, "version", a.options.Version))
		case path == "/commands":
			to := url.URL{Path: "commands/", RawQuery: r.URL.RawQuery}
			w.Header().Set("Location", to.String())
			w.WriteHeader(http.StatusPermanentRedirect)
		case isCommand && id == "" && get:
			a.listCommands(w, r)
		case isCommand && id == "" && r.Method == http.MethodPost:
			a.postCommand(ctx, w, r)
		case isCommand && !strings.Contains(id, "/") && get:
			a.getCommand(ctx, w, r, id)
		case path == "/" && get:
			answer(w, http.StatusOK, newDict(
				"name", "OpenStack Ironic Python Agent API",
				"description", "Ironic Python Agent is a provisioning agent for OpenStack Ironic",
				"default_version", newDict("id", "v1")))
		case path == "/status" || path == "/" || isCommand:
			refuse(w, http.StatusMethodNotAllowed, notThat)
		default:
			refuse(w, http.StatusNotFound, notThere)
		}
	}
	return a.gate.Guard(a.logged(route))
}

// logged wraps next to log each request. Like the real agent, it logs the token in plain text.
func (a *agent) logged(next http.HandlerFunc) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		uri, begin := r.URL.RequestURI(), time.Now()
		recorder := &statusRecorder{ResponseWriter: w, status: http.StatusOK}
		next(recorder, r)
		source, _, _ := net.SplitHostPort(r.RemoteAddr)
		took := time.Since(begin)
		a.log.requests.info("%s - %s %s - %d (%.2fms)", source, r.Method, uri, recorder.status, float64(took)/float64(time.Millisecond))
	}
}

type statusRecorder struct {
	http.ResponseWriter
	status int
}

func (r *statusRecorder) WriteHeader(status int) {
	r.status = status
	r.ResponseWriter.WriteHeader(status)
}

// trusted reports whether the caller has the token. An agent without a token refuses every caller.
func (a *agent) trusted(r *http.Request) bool {
	own := a.ownToken()
	return own != "" && subtle.ConstantTimeCompare([]byte(r.URL.Query().Get("agent_token")), []byte(own)) == 1
}

func (a *agent) listCommands(w http.ResponseWriter, r *http.Request) {
	// Old agents list their commands without a token, because the conductor of Ironic 21.4 sends none with this call.
	open := a.options.generation() == legacyAgent && !r.URL.Query().Has("agent_token")
	if !open && !a.trusted(r) {
		refuse(w, http.StatusUnauthorized, badToken)
		return
	}
	a.mu.Lock()
	shown := make(list, len(a.commands))
	for i, c := range a.commands {
		shown[i] = c.show()
	}
	a.mu.Unlock()
	answer(w, http.StatusOK, newDict("commands", shown))
}

func (a *agent) getCommand(ctx context.Context, w http.ResponseWriter, r *http.Request, id string) {
	if !a.trusted(r) {
		refuse(w, http.StatusUnauthorized, badToken)
		return
	}
	a.mu.Lock()
	var found *command
	for _, c := range a.commands {
		if c.id == id {
			found = c
		}
	}
	a.mu.Unlock()
	if found == nil {
		refuse(w, http.StatusNotFound, newFault(objectNotFound, "Command Result with id %s not found.", id).Error())
		return
	}
	a.showCommand(ctx, w, r, found)
}

// showCommand answers with the state of c. If the caller asked to wait, it first waits until c has ended.
func (a *agent) showCommand(ctx context.Context, w http.ResponseWriter, r *http.Request, c *command) {
	if strings.EqualFold(r.URL.Query().Get("wait"), "true") {
		select {
		case <-c.done:
		case <-ctx.Done():
		case <-r.Context().Done():
		}
	}
	a.mu.Lock()
	shown := c.show()
	a.mu.Unlock()
	answer(w, http.StatusOK, shown)
}

func (a *agent) postCommand(ctx context.Context, w http.ResponseWriter, r *http.Request) {
	if !a.trusted(r) {
		refuse(w, http.StatusUnauthorized, badToken)
		return
	}
	raw, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxBody))
	if err != nil {
		refuse(w, http.StatusBadRequest, badJSON+err.Error())
		return
	}
	v, err := hints.ParsePythonJSON(string(bytes.TrimPrefix(raw, []byte("\ufeff"))))
	if err != nil {
		refuse(w, http.StatusBadRequest, badJSON+err.Error())
		return
	}
	body, _ := v.(*dict)
	params, named := body.Dict("params"), body.Has("name")
	if params == nil || !named {
		refuse(w, http.StatusBadRequest, badParams)
		return
	}
	c, f := a.execute(ctx, body.Text("name"), params)
	if f != nil {
		refuse(w, f.Type.code, f.Error())
		return
	}
	a.showCommand(ctx, w, r, c)
}

func refuse(w http.ResponseWriter, status int, text string) {
	code := "Client"
	if status >= http.StatusInternalServerError {
		code = "Server"
	}
	answer(w, status, newDict("faultcode", code, "faultstring", text))
}

func answer(w http.ResponseWriter, status int, body *dict) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	// There is no way to report an error to a conductor that has disconnected.
	_, _ = io.WriteString(w, dump(body))
}
