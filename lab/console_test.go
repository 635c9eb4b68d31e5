package lab_test

import (
	"encoding/json"
	"io"
	"net"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"ironworks/lab"
)

// consoleCall sends a request to an Ironic server and decodes the response.
func consoleCall(t *testing.T, method, address, body string) (status int, answer map[string]any) {
	t.Helper()
	request, err := http.NewRequestWithContext(t.Context(), method, address, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	request.Header.Set("X-OpenStack-Ironic-API-Version", "1.90")
	request.Header.Set("Content-Type", "application/json")
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = response.Body.Close() }()
	_ = json.NewDecoder(response.Body).Decode(&answer) // some responses are empty
	return response.StatusCode, answer
}

// TestSerialConsole checks that the embedded Ironic serves the serial line in driver_info for as long as the console
// is enabled.
func TestSerialConsole(t *testing.T) {
	machine, err := new(net.ListenConfig).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = machine.Close() }()
	ironic, err := lab.StartIronic(t.Context(), lab.IronicOptions{SerialConsoles: true})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = ironic.Close() }()
	node := `{"name": "n1", "driver": "redfish", "console_interface": "ipmitool-socat"`
	_, port, _ := net.SplitHostPort(machine.Addr().String())
	if status, answer := consoleCall(t, http.MethodPost, ironic.URL+"/v1/nodes", node+`, "driver_info": {"ipmi_address": "127.0.0.1", "ipmi_port": `+port+`}}`); status != http.StatusCreated {
		t.Fatalf("status %d: %v", status, answer)
	}
	if status, answer := consoleCall(t, http.MethodPost, ironic.URL+"/v1/nodes", strings.Replace(node, "n1", "n2", 1)+`}`); status != http.StatusCreated {
		t.Fatalf("status %d: %v", status, answer)
	}
	if status, _ := consoleCall(t, http.MethodPut, ironic.URL+"/v1/nodes/n2/states/console", `{"enabled": true}`); status != http.StatusBadRequest {
		t.Errorf("a console without an address: status %d", status)
	}
	console := ironic.URL + "/v1/nodes/n1/states/console"
	enable(t, console, true)
	_, answer := consoleCall(t, http.MethodGet, console, "")
	info, _ := answer["console_info"].(map[string]any)
	address, _ := info["url"].(string)
	u, err := url.Parse(address)
	if err != nil || info["type"] != "socat" || u.Scheme != "tcp" {
		t.Fatalf("the console is %v", answer)
	}
	reader, err := new(net.Dialer).DialContext(t.Context(), "tcp", u.Host)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = reader.Close() }()
	line, err := machine.Accept()
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = line.Close() }()
	for from, to := range map[net.Conn]net.Conn{reader: line, line: reader} {
		_, _ = io.WriteString(from, "login: ")
		got := make([]byte, 7)
		if _, err := io.ReadFull(to, got); err != nil || string(got) != "login: " {
			t.Errorf("got %q, %v", got, err)
		}
	}
	enable(t, console, false)
	_ = reader.SetReadDeadline(time.Now().Add(time.Minute))
	if _, err := reader.Read(make([]byte, 1)); err == nil || strings.Contains(err.Error(), "timeout") {
		t.Errorf("the reader of a disabled console: %v", err)
	}
}

// enable enables or disables a console, and waits until Ironic has applied the change.
func enable(t *testing.T, console string, on bool) {
	t.Helper()
	body := `{"enabled": false}`
	if on {
		body = `{"enabled": true}`
	}
	if status, answer := consoleCall(t, http.MethodPut, console, body); status != http.StatusAccepted {
		t.Fatalf("status %d: %v", status, answer)
	}
	deadline := time.NewTimer(time.Minute)
	defer deadline.Stop()
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	for {
		if _, answer := consoleCall(t, http.MethodGet, console, ""); answer["console_enabled"] == on {
			return
		}
		select {
		case <-tick.C:
		case <-deadline.C:
			t.Fatal("the console does not change")
		}
	}
}
