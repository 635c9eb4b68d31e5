package machine

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"crypto/subtle"
	"encoding/base64"
	"encoding/json"
	"net/http"
	"strconv"
	"strings"
	"time"
)

// What became of a command.
const (
	running   = "RUNNING"
	succeeded = "SUCCEEDED"
	failed    = "FAILED"
)

// command is one that the agent was given, as it shows it.
type command struct {
	ID     string        `json:"id"`
	Name   string        `json:"command_name"`
	Status string        `json:"command_status"`
	Error  *commandError `json:"command_error"`
	Result any           `json:"command_result"`

	done chan struct{} // closed when it is no longer running
}

type commandError struct {
	Type    string `json:"type"`
	Code    int    `json:"code"`
	Message string `json:"message"`
	Details string `json:"details"`
}

// managers are the versions of the hardware managers: the conductor plans its
// steps anew if they change.
var managers = object{"generic_hardware_manager": "1.2", "coreos_hardware_manager": "1.0"}

func steps(list ...object) object {
	return object{"GenericHardwareManager": list}
}

func step(name string, priority int) object {
	return object{"step": name, "priority": priority, "interface": "deploy", "reboot_requested": false, "abortable": true}
}

// api is the HTTP service of the agent.
func (a *agent) api() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /v1/status", func(w http.ResponseWriter, _ *http.Request) {
		answer(w, http.StatusOK, object{"started_at": float64(time.Now().Unix()), "version": agentVersion})
	})
	// The old conductor sends no token with this one, and its agent wants none.
	mux.HandleFunc("GET /v1/commands/{$}", func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Query().Has("agent_token") && !a.trusted(r) {
			fault(w, http.StatusUnauthorized, "Token invalid.")
			return
		}
		a.mu.Lock()
		defer a.mu.Unlock()
		answer(w, http.StatusOK, object{"commands": append([]*command{}, a.commands...)})
	})
	mux.HandleFunc("GET /v1/commands/{id}", a.private(a.getCommand))
	mux.HandleFunc("POST /v1/commands/{$}", a.private(a.postCommand))
	return mux
}

// private lets only the conductor in.
func (a *agent) private(next http.HandlerFunc) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		if !a.trusted(r) {
			fault(w, http.StatusUnauthorized, "Token invalid.")
			return
		}
		next(w, r)
	}
}

func (a *agent) trusted(r *http.Request) bool {
	return subtle.ConstantTimeCompare([]byte(r.URL.Query().Get("agent_token")), []byte(a.token)) == 1
}

func (a *agent) getCommand(w http.ResponseWriter, r *http.Request) {
	a.mu.Lock()
	var found *command
	for _, c := range a.commands {
		if c.ID == r.PathValue("id") {
			found = c
		}
	}
	a.mu.Unlock()
	if found == nil {
		fault(w, http.StatusNotFound, "Command not found")
		return
	}
	a.show(w, r, found)
}

// show answers with a command, once it has ended if the caller wants to wait.
func (a *agent) show(w http.ResponseWriter, r *http.Request, c *command) {
	if wait, _ := strconv.ParseBool(r.URL.Query().Get("wait")); wait {
		select {
		case <-c.done:
		case <-a.ctx.Done():
		case <-r.Context().Done():
		}
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	answer(w, http.StatusOK, c)
}

func (a *agent) postCommand(w http.ResponseWriter, r *http.Request) {
	var body Command
	if err := json.NewDecoder(r.Body).Decode(&body); err != nil {
		fault(w, http.StatusBadRequest, "the body is not JSON: "+err.Error())
		return
	}
	m := a.machine
	m.logf("command %s %s", body.Name, body.Step())
	m.mu.Lock()
	m.commands = append(m.commands, body)
	m.mu.Unlock()

	_, name, _ := strings.Cut(body.Name, ".")
	a.mu.Lock()
	for _, c := range a.commands {
		if c.Status == running {
			a.mu.Unlock()
			fault(w, http.StatusConflict, "Agent is busy: executing command "+c.Name)
			return
		}
	}
	c := &command{ID: "command-" + strconv.Itoa(len(a.commands)+1), Name: name, Status: running, done: make(chan struct{})}
	if !a.begin(c, body) {
		a.mu.Unlock()
		fault(w, http.StatusNotFound, "Unknown command "+body.Name)
		return
	}
	a.commands = append(a.commands, c)
	a.mu.Unlock()
	a.show(w, r, c)
}

// begin does what a command says; those that take time go on after it
// returns. The lock is held.
func (a *agent) begin(c *command, body Command) bool {
	end := func(result any) {
		c.Status, c.Result = succeeded, result
		close(c.done)
	}
	switch body.Name {
	case "deploy.get_deploy_steps":
		end(object{"deploy_steps": steps(step("install_coreos", 0), step("erase_devices_metadata", 0)), "hardware_manager_version": managers})
	case "clean.get_clean_steps":
		end(object{"clean_steps": steps(step("erase_devices_metadata", 10)), "hardware_manager_version": managers})
	case "deploy.execute_deploy_step":
		a.execute(c, body, object{"deploy_result": nil, "deploy_step": body.Params["step"]})
	case "clean.execute_clean_step":
		a.execute(c, body, object{"clean_result": nil, "clean_step": body.Params["step"]})
	case "log.collect_system_logs":
		end(object{"system_logs": systemLogs()})
	case "standby.sync", "system.lockdown":
		end(nil)
	case "standby.power_off":
		end(nil)
		// The answer must be out before the machine is.
		a.machine.work.Go(func() {
			if after(a.ctx, 100*time.Millisecond) {
				a.machine.powerOff()
			}
		})
	default:
		return false
	}
	return true
}

// execute runs a step for as long as steps take, and tells the conductor at
// its end.
func (a *agent) execute(c *command, body Command, result any) {
	m := a.machine
	m.work.Go(func() {
		if !after(a.ctx, m.options.InstallDuration) {
			return
		}
		install := body.Step() == "install_coreos"
		a.mu.Lock()
		if install && m.options.InstallError != "" {
			c.Status = failed
			c.Error = &commandError{
				Type: "DeploymentError", Code: http.StatusInternalServerError,
				Message: "Deploy step failed", Details: m.options.InstallError,
			}
		} else {
			c.Status, c.Result = succeeded, result
		}
		install = install && c.Status == succeeded
		close(c.done)
		a.mu.Unlock()
		if install {
			m.mu.Lock()
			m.installs++
			m.mu.Unlock()
		}
		a.beatNow()
	})
}

// systemLogs is the archive that the agent collects: base64 of a tar.gz.
func systemLogs() string {
	content := []byte("an emulated machine has little to tell\n")
	var archive bytes.Buffer
	zip := gzip.NewWriter(&archive)
	files := tar.NewWriter(zip)
	// Writing to memory does not fail.
	_ = files.WriteHeader(&tar.Header{Name: "journal", Mode: 0o600, Size: int64(len(content))})
	_, _ = files.Write(content)
	_ = files.Close()
	_ = zip.Close()
	return base64.StdEncoding.EncodeToString(archive.Bytes())
}

// fault answers with an error in the form of the agent.
func fault(w http.ResponseWriter, status int, message string) {
	answer(w, status, object{"faultcode": "Client", "faultstring": message})
}
