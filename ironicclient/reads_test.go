package ironicclient

import (
	"encoding/json"
	"net/http"
	"net/url"
	"reflect"
	"strings"
	"testing"

	"ironworks/models"
)

func TestReads(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	yes, no, seconds, seventy := true, false, 61, 70
	tests := map[string]struct {
		call   func(c *Client) (any, error)
		path   string
		query  url.Values
		answer string
		want   any
	}{
		"boot device": {
			func(c *Client) (any, error) { return c.BootDevice(ctx, "n") }, "/v1/nodes/n/management/boot_device", nil,
			`{"boot_device":"pxe","persistent":null}`,
			models.BootDevice{Device: "pxe"},
		},
		"a console's state": {
			func(c *Client) (any, error) { return c.ConsoleState(ctx, "n") }, "/v1/nodes/n", nil,
			`{"uuid":"u","console_interface":"ipmitool-socat","console_enabled":true,"last_error":null}`,
			models.ConsoleState{Interface: "ipmitool-socat", Enabled: true},
		},
		"a console's address": {
			func(c *Client) (any, error) { return c.Console(ctx, "n") }, "/v1/nodes/n/states/console", nil,
			`{"console_enabled":true,"console_info":{"type":"socat","url":"tcp://192.0.2.1:10023"}}`,
			consoleAt("socat", "tcp://192.0.2.1:10023"),
		},
		"a console that is not enabled": {
			func(c *Client) (any, error) { return c.Console(ctx, "n") }, "/v1/nodes/n/states/console", nil,
			`{"console_enabled":false,"console_info":null}`,
			models.ConsoleAddress{},
		},
		"validate": {
			func(c *Client) (any, error) { return c.Validate(ctx, "n") }, "/v1/nodes/n/validate", nil,
			`{"power":{"result":false,"reason":"no address"},"boot":{"result":true},"rescue":{"result":null,"reason":null},"raid":{"result":true,"reason":{"a":1}}}`,
			[]models.Validation{
				{Interface: "boot", Result: &yes},
				{Interface: "power", Result: &no, Reason: "no address"},
				{Interface: "raid", Result: &yes, Reason: `{"a":1}`},
				{Interface: "rescue"},
			},
		},
		"ports": {
			func(c *Client) (any, error) { return c.Ports(ctx, "n") }, "/v1/ports",
			url.Values{"node": {"n"}, "detail": {"true"}},
			`{"ports":[{"uuid":"p","address":"aa:bb","pxe_enabled":true,"node_uuid":"n"}]}`,
			[]models.Port{{UUID: "p", Address: "aa:bb", PXEEnabled: true, NodeUUID: "n"}},
		},
		"the port with a MAC": {
			func(c *Client) (any, error) { return c.PortsAt(ctx, "aa:bb") }, "/v1/ports",
			url.Values{"address": {"aa:bb"}, "detail": {"true"}},
			`{"ports":[{"uuid":"p","address":"aa:bb","node_uuid":"n"}]}`,
			[]models.Port{{UUID: "p", Address: "aa:bb", NodeUUID: "n"}},
		},
		"port groups": {
			func(c *Client) (any, error) { return c.Portgroups(ctx, "n") }, "/v1/portgroups",
			url.Values{"node": {"n"}, "detail": {"true"}},
			`{"portgroups":[{"uuid":"p","mode":"802.3ad"}]}`,
			[]models.Portgroup{{UUID: "p", Mode: "802.3ad"}},
		},
		"conductors": {
			func(c *Client) (any, error) { return c.Conductors(ctx) }, "/v1/conductors",
			url.Values{"detail": {"true"}},
			`{"conductors":[{"hostname":"c1","alive":true,"drivers":["redfish"]}]}`,
			[]models.Conductor{{Hostname: "c1", Alive: true, Drivers: []string{"redfish"}}},
		},
		"deploy templates": {
			func(c *Client) (any, error) { return c.DeployTemplates(ctx) }, "/v1/deploy_templates",
			url.Values{"detail": {"true"}},
			`{"deploy_templates":[{"uuid":"t","name":"CUSTOM_A","steps":[{"interface":"deploy","step":"s","args":{"a":1},"priority":70}],"extra":{}}]}`,
			[]models.DeployTemplate{{UUID: "t", Name: "CUSTOM_A", Steps: []models.Step{{Interface: "deploy", Step: "s", Args: map[string]any{"a": 1.0}, Priority: &seventy}}}},
		},
		"inspection rules": {
			func(c *Client) (any, error) { return c.InspectionRules(ctx) }, "/v1/inspection_rules",
			url.Values{"detail": {"true"}},
			`{"inspection_rules":[{"uuid":"b","actions":null},{"uuid":"a"}]}`,
			[]json.RawMessage{json.RawMessage(`{"uuid":"b","actions":null}`), json.RawMessage(`{"uuid":"a"}`)},
		},
		"allocation": {
			func(c *Client) (any, error) { return c.Allocation(ctx, "web") }, "/v1/allocations/web", nil,
			`{"uuid":"a","state":"active"}`, &models.Allocation{UUID: "a", State: "active"},
		},
		"drivers": {
			func(c *Client) (any, error) { return c.Drivers(ctx) }, "/v1/drivers",
			url.Values{"detail": {"true"}},
			`{"drivers":[{"name":"redfish","type":"dynamic","hosts":["c1"],"default_boot_interface":"ipxe","enabled_boot_interfaces":["ipxe","pxe"],
				"default_raid_interface":null,"enabled_raid_interfaces":null,"links":[],"properties":[]},{"name":"fake-hardware"}]}`,
			[]models.Driver{
				{Name: "fake-hardware", Default: map[string]string{}, Enabled: map[string][]string{}},
				{Name: "redfish", Type: "dynamic", Hosts: []string{"c1"}, Default: map[string]string{"boot": "ipxe"}, Enabled: map[string][]string{"boot": {"ipxe", "pxe"}}},
			},
		},
		"history": {
			func(c *Client) (any, error) {
				h, err := c.History(ctx, "n")
				for i := range h {
					h[i].CreatedAt = models.Time{}
				}
				return h, err
			},
			"/v1/nodes/n/history",
			url.Values{"detail": {"true"}},
			`{"history":[{"uuid":"1","created_at":"2026-11-21T02:28:01+00:00"},{"uuid":"2","created_at":"2026-11-21T03:28:01+00:00","severity":"ERROR","event":"boom","duration_seconds":61}]}`,
			[]models.HistoryEntry{{UUID: "2", Severity: "ERROR", Event: "boom", DurationSeconds: &seconds}, {UUID: "1"}},
		},
		"inventory": {
			func(c *Client) (any, error) { return c.Inventory(ctx, "n") }, "/v1/nodes/n/inventory", nil,
			`{"inventory":{"cpu":{}}}`, json.RawMessage(`{"inventory":{"cpu":{}}}`),
		},
		"vendor methods": {
			func(c *Client) (any, error) { return c.VendorMethods(ctx, "n") }, "/v1/nodes/n/vendor_passthru/methods", nil,
			`{"b":{"http_methods":["POST"],"async":true,"description":"d"},"a":{}}`,
			[]models.VendorMethod{{Name: "a"}, {Name: "b", HTTPMethods: []string{"POST"}, Async: true, Description: "d"}},
		},
		"BIOS": {
			func(c *Client) (any, error) { return c.BIOS(ctx, "n") }, "/v1/nodes/n/bios",
			url.Values{"detail": {"true"}},
			`{"bios":[{"name":"SMT","value":"on"}]}`,
			[]models.BIOSSetting{{Name: "SMT", Value: "on"}},
		},
		"firmware": {
			func(c *Client) (any, error) { return c.Firmware(ctx, "n") }, "/v1/nodes/n/firmware", nil,
			`{"firmware":[{"component":"bmc","current_version":"1"}]}`,
			[]models.Firmware{{Component: "bmc", CurrentVersion: "1"}},
		},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := newIronic(t, reply(http.StatusOK, tt.answer))
			got, err := tt.call(client(t, f.URL, Options{}))
			if err != nil {
				t.Fatal(err)
			}
			if !reflect.DeepEqual(got, tt.want) {
				t.Errorf("got  %+v\nwant %+v", got, tt.want)
			}
			all := f.all()
			query := url.Values(all[0].query)
			if len(all) != 1 || all[0].String() != "GET "+tt.path || query.Encode() != tt.query.Encode() || all[0].body != "" {
				t.Errorf("sent %q ?%s", all, query.Encode())
			}
			broken := newIronic(t, reply(http.StatusOK, `{"x":`))
			_, err = tt.call(client(t, broken.URL, Options{}))
			if fault := mustFault(t, err, models.FaultBadAnswer); fault.Method != http.MethodGet || fault.Sent {
				t.Errorf("%+v", fault)
			}
		})
	}
}

func consoleAt(kind, url string) models.ConsoleAddress {
	a := models.ConsoleAddress{Enabled: true}
	a.Info.Type, a.Info.URL = kind, models.Secret(url)
	return a
}

// TestHistoryIsNewestFirst checks the order of history entries, even of those with equal times. Ironic lists entries
// in the order of its database, which stores only whole seconds on MySQL.
func TestHistoryIsNewestFirst(t *testing.T) {
	t.Parallel()
	f := newIronic(t, reply(http.StatusOK, `{"history": [
		{"uuid": "1", "created_at": "2026-11-22T13:00:00+00:00"}, {"uuid": "2", "created_at": "2026-11-22T13:00:05+00:00"},
		{"uuid": "3", "created_at": "2026-11-22T13:00:05+00:00"}, {"uuid": "4", "created_at": "2026-11-22T13:00:05+00:00"}]}`))
	entries, err := client(t, f.URL, Options{}).History(t.Context(), "n")
	if err != nil {
		t.Fatal(err)
	}
	var order []string
	for _, e := range entries {
		order = append(order, e.UUID)
	}
	if got := strings.Join(order, " "); got != "4 3 2 1" {
		t.Errorf("entries %s, want the newest first", got)
	}
}
