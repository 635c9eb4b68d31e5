package bmc

import (
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"ironworks/models"
)

// TestResourceVariants checks that data is found in all the places where different controllers store it.
func TestResourceVariants(t *testing.T) {
	t.Parallel()
	const (
		system  = "/redfish/v1/Systems/1"
		inside  = `{"Id": "1", "Links": {"Chassis": [{"@odata.id": "/redfish/v1/Chassis/1"}]}`
		chassis = "/redfish/v1/Chassis/1"
	)
	tests := map[string]struct {
		pages map[string]string
		want  func(b *models.BMC) bool
	}{
		"adapters with ports and functions": {map[string]string{
			system: inside + `, "EthernetInterfaces": {"@odata.id": "/redfish/v1/E"}}`, "/redfish/v1/E": `{"Members": []}`,
			chassis:           `{"Id": "1", "NetworkAdapters": {"@odata.id": "/redfish/v1/A"}}`,
			"/redfish/v1/A":   `{"Members": [{"Id": "NIC.1", "Ports": {"@odata.id": "/redfish/v1/P"}, "NetworkDeviceFunctions": {"@odata.id": "/redfish/v1/F"}}]}`,
			"/redfish/v1/P":   `{"Members": [{"@odata.id": "/redfish/v1/P/1"}]}`,
			"/redfish/v1/F":   `{"Members": [{"Id": "NIC.1-1", "Ethernet": {"MACAddress": "52:54:00:00:00:01"}, "Links": {"PhysicalNetworkPortAssignment": {"@odata.id": "/redfish/v1/P/1"}}}]}`,
			"/redfish/v1/P/1": `{"Id": "1", "LinkStatus": "Up", "CurrentSpeedGbps": 25, "Ethernet": {"AssociatedMACAddresses": ["52:54:00:00:00:01", "52:54:00:00:00:02"]}, "Status": {"Health": "Warning"}}`,
		}, func(b *models.BMC) bool {
			return slices.Equal(b.NICs, []models.BMCNIC{
				{ID: "NIC.1 1", MAC: "52:54:00:00:00:02", Mbit: 25000, Link: "LinkUp", Health: "Warning"},
				{ID: "NIC.1-1", MAC: "52:54:00:00:00:01", Mbit: 25000, Link: "LinkUp", Health: "Warning"},
			})
		}},
		"older ports": {map[string]string{
			system: inside + `}`, chassis: `{"Id": "1", "NetworkAdapters": {"@odata.id": "/redfish/v1/A"}}`,
			"/redfish/v1/A": `{"Members": [{"Id": "N", "NetworkPorts": {"@odata.id": "/redfish/v1/P"}}]}`,
			"/redfish/v1/P": `{"Members": [{"Id": "1", "LinkStatus": "Down", "CurrentLinkSpeedMbps": 1000, "AssociatedNetworkAddresses": ["52:54:00:00:00:01", ""]}]}`,
		}, func(b *models.BMC) bool {
			return slices.Equal(b.NICs, []models.BMCNIC{{ID: "N 1", MAC: "52:54:00:00:00:01", Mbit: 1000, Link: "LinkDown"}})
		}},
		"simple storage": {map[string]string{
			system:           `{"SimpleStorage": {"@odata.id": "/redfish/v1/SS"}}`,
			"/redfish/v1/SS": `{"Members": [{"Id": "1", "Devices": [{"Name": "Bay 1", "Model": "X", "CapacityBytes": 480000000000, "Status": {"Health": "OK"}}, {"Name": "Bay 2", "Status": {"State": "Absent"}}]}]}`,
		}, func(b *models.BMC) bool {
			return len(b.Drives) == 1 && b.Drives[0].ID == "Bay 1" && b.Drives[0].Bytes == 480e9
		}},
		"drives of the chassis": {map[string]string{
			system: inside + `}`, chassis: `{"Id": "1", "Links": {"Drives": [{"@odata.id": "/redfish/v1/D/1"}]}}`, "/redfish/v1/D/1": `{"SerialNumber": "S1"}`,
		}, func(b *models.BMC) bool {
			return len(b.Drives) == 1 && b.Drives[0].ID == "1" && b.Drives[0].Serial == "S1"
		}},
		"a collection of drives, of the only machine's chassis": {map[string]string{
			"/redfish/v1":         strings.TrimSuffix(fakeRoot, "}") + `, "Chassis": {"@odata.id": "/redfish/v1/Chassis"}}`,
			"/redfish/v1/Chassis": `{"Members": [{"@odata.id": "/redfish/v1/Chassis/1"}]}`,
			chassis:               `{"Id": "1", "Drives": {"@odata.id": "/redfish/v1/D"}}`, "/redfish/v1/D": `{"Members": [{"Id": "a", "FailurePredicted": true}]}`,
		}, func(b *models.BMC) bool { return len(b.Drives) == 1 && len(b.Causes) == 1 }},
		"newer sensors": {map[string]string{
			system: inside + `}`,
			chassis: `{"Id": "1", "ThermalSubsystem": {"@odata.id": "/redfish/v1/T"}, "PowerSubsystem": {"@odata.id": "/redfish/v1/W"},
				"EnvironmentMetrics": {"@odata.id": "/redfish/v1/M"}}`,
			"/redfish/v1/T":  `{"ThermalMetrics": {"@odata.id": "/redfish/v1/TM"}, "Fans": {"@odata.id": "/redfish/v1/F"}}`,
			"/redfish/v1/TM": `{"TemperatureReadingsCelsius": [{"DeviceName": "Inlet", "Reading": 21.5}, {"DeviceName": "x", "Reading": null}]}`,
			"/redfish/v1/F":  `{"Members": [{"Id": "F1", "SpeedPercent": {"Reading": 40, "SpeedRPM": 7000}}, {"Id": "F2", "SpeedPercent": {"Reading": 41}}]}`,
			"/redfish/v1/W":  `{"PowerSupplies": {"@odata.id": "/redfish/v1/PS"}}`,
			"/redfish/v1/PS": `{"Members": [{"Id": "0", "Name": "PSU 0", "PowerCapacityWatts": 800, "Metrics": {"@odata.id": "/redfish/v1/PM"}}]}`,
			"/redfish/v1/PM": `{"OutputPowerWatts": {"Reading": 120}}`, "/redfish/v1/M": `{"PowerWatts": {"Reading": 240}}`,
		}, func(b *models.BMC) bool {
			text, _ := json.Marshal(b.Sensors)
			return string(text) == `[{"name":"Inlet","kind":"temperature","value":21.5,"unit":"°C","health":""},{"name":"F1","kind":"fan","value":7000,"unit":"RPM","health":""},`+
				`{"name":"F2","kind":"fan","value":41,"unit":"%","health":""},{"name":"consumed","kind":"power","value":240,"unit":"W","health":""},`+
				`{"name":"PSU 0","kind":"supply","value":120,"unit":"W","high":800,"health":""}]`
		}},
		"sensors one by one": {map[string]string{
			system: inside + `}`, chassis: `{"Id": "1", "Sensors": {"@odata.id": "/redfish/v1/S"}}`,
			"/redfish/v1/S": `{"Members": [{"Name": "T1", "Reading": 30, "ReadingType": "Temperature", "ReadingUnits": "Cel", "Thresholds": {"UpperCritical": {"Reading": 90}}}]}`,
		}, func(b *models.BMC) bool {
			return len(b.Sensors) == 1 && b.Sensors[0].Unit == "°C" && *b.Sensors[0].High == 90
		}},
		"bounds that are none": {map[string]string{
			system: inside + `}`, chassis: `{"Thermal": {"@odata.id": "/redfish/v1/T"}}`,
			"/redfish/v1/T": `{"Fans": [{"Name": "F", "Reading": 100, "ReadingUnits": "RPM", "LowerThresholdCritical": 0, "UpperThresholdCritical": 0}]}`,
		}, func(b *models.BMC) bool {
			return len(b.Sensors) == 1 && b.Sensors[0].Low == nil && b.Sensors[0].High == nil
		}},
		"the same slots at two places": {map[string]string{
			system:                   `{"VirtualMedia": {"@odata.id": "/redfish/v1/VM"}}`,
			"/redfish/v1/Managers/1": `{"VirtualMedia": {"@odata.id": "/redfish/v1/Managers/1/VM"}}`,
			"/redfish/v1/VM":         `{"Members": [{"Id": "1"}, {"Id": "2"}]}`, "/redfish/v1/Managers/1/VM": `{"Members": [{"Id": "1"}, {"Id": "3"}]}`,
		}, func(b *models.BMC) bool { return len(b.Media) == 3 }},
		"a path in another case": {map[string]string{
			"/redfish/v1/Systems": `{"Members": [{"@odata.id": "/redfish/v1/systems/1"}, {"@odata.id": "/redfish/v1/systems/2"}]}`, "/redfish/v1/systems/1": `{"Model": "iLO"}`,
		}, func(b *models.BMC) bool { return b.System.Model == "iLO" }},
		"consoles": {map[string]string{
			system: `{"SerialConsole": {"SSH": {"ServiceEnabled": true, "Port": 2200}, "Telnet": {"ServiceEnabled": false},
				"WebSocket": {"ServiceEnabled": true, "ConsoleURI": "wss://bmc.example.com/console?token=hidden"}}}`,
			"/redfish/v1/Managers/1": `{"Id": "1", "GraphicalConsole": {"ServiceEnabled": true, "ConnectTypesSupported": ["KVMIP"]}, "SerialConsole": {"ServiceEnabled": false},
				"CommandShell": {"ServiceEnabled": false, "ConnectTypesSupported": ["SSH"]}}`,
		}, func(b *models.BMC) bool {
			text, _ := json.Marshal(b.Consoles)
			return string(text) == `[{"kind":"serial","enabled":true,"types":["SSH:2200","WebSocket"],"url":"wss://bmc.example.com/console?******"},`+
				`{"kind":"graphical","enabled":true,"types":["KVMIP"]},{"kind":"shell","enabled":false,"types":["SSH"]}]`
		}},
		"what a slot fetches": {map[string]string{
			system:           `{"VirtualMedia": {"@odata.id": "/redfish/v1/VM"}}`,
			"/redfish/v1/VM": `{"Members": [{"Id": "1", "Actions": {"#VirtualMedia.InsertMedia": {"target": "/redfish/v1/i", "@Redfish.ActionInfo": "/redfish/v1/I"}}}]}`,
			"/redfish/v1/I":  `{"Parameters": [{"Name": "TransferProtocolType", "AllowableValues": ["NFS", "HTTPS"]}]}`,
		}, func(b *models.BMC) bool {
			return len(b.Media) == 1 && slices.Equal(b.Media[0].Protocols, []string{"NFS", "HTTPS"})
		}},
		"Dell's jobs, of which it has each as a task, too": {map[string]string{
			"/redfish/v1":            strings.TrimSuffix(fakeRoot, "}") + `, "Tasks": {"@odata.id": "/redfish/v1/T"}}`,
			"/redfish/v1/Managers/1": `{"Links": {"Oem": {"Dell": {"Jobs": {"@odata.id": "/redfish/v1/J"}}}}}`,
			"/redfish/v1/T":          `{"Tasks": {"@odata.id": "/redfish/v1/Ts"}}`, "/redfish/v1/Ts": `{"Members": [{"Id": "JID_1", "TaskState": "Completed", "PercentComplete": 100}]}`,
			"/redfish/v1/J": `{"Members": [{"Id": "JID_1", "JobState": "Completed"}, {"Id": "JID_2", "JobState": "Scheduled", "Message": "waits", "PercentComplete": 400}]}`,
		}, func(b *models.BMC) bool {
			return len(b.Jobs) == 2 && *b.Jobs[0].Percent == 100 && b.Jobs[1].State == "Scheduled" && b.Jobs[1].Message == "waits" && b.Jobs[1].Percent == nil
		}},
		"numbers among the settings": {map[string]string{
			system: `{"Bios": {"@odata.id": "/redfish/v1/B"}}`, "/redfish/v1/B": `{"Attributes": {"a": 1000000, "b": true, "c": null}}`,
		}, func(b *models.BMC) bool {
			return slices.Equal(b.BIOS, []models.BMCValue{{Name: "a", Value: "1000000"}, {Name: "b", Value: "true"}, {Name: "c"}})
		}},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := newFake(t, tt.pages, nil)
			if f.pages["/redfish/v1/Managers/1"] == "" {
				f.pages["/redfish/v1/Managers/1"] = `{"Id": "1"}`
			}
			x := f.target()
			x.System = system
			got, err := Probe(t.Context(), x)
			if err != nil || len(got.Unread) > 0 || !tt.want(got) {
				text, _ := json.MarshalIndent(got, "", " ")
				t.Errorf("%v, %s", err, text)
			}
		})
	}
}

// TestLogs checks that the newest entries of a log are read with few requests. The log has thousands of entries, and
// their order depends on the controller.
func TestLogs(t *testing.T) {
	t.Parallel()
	const entries = 3000
	entry := func(n int) string {
		return fmt.Sprintf(`{"@odata.id": "/redfish/v1/L/%d", "Id": "%d", "Created": %q, "Severity": "Critical", "Message": "m%d"}`,
			n, n, time.Date(2026, 1, 1, 0, n, 0, 0, time.UTC).Format(time.RFC3339), n)
	}
	tests := map[string]struct {
		oldestFirst, topSkip, links, refuses bool
		size                                 int // the number of entries on a page
		requests                             int
		newest                               bool
		listed                               int
	}{
		"Dell: the newest first, in pages":         {topSkip: true, size: 50, requests: 1, newest: true, listed: 50},
		"the oldest first, with $skip":             {oldestFirst: true, topSkip: true, size: 50, requests: 2, newest: true, listed: 50},
		"the oldest first, in one page":            {oldestFirst: true, size: entries, requests: 1, newest: true, listed: 50},
		"the oldest first, in pages that are few":  {oldestFirst: true, size: 500, requests: 6, newest: true, listed: 50},
		"the oldest first, in pages that are many": {oldestFirst: true, size: 50, requests: 11, listed: 50},
		"links, the oldest first":                  {oldestFirst: true, links: true, size: entries, requests: 26, newest: true, listed: 25},
		"links, the newest first":                  {links: true, size: entries, requests: 26, newest: true, listed: 25},
		"$top is refused":                          {topSkip: true, refuses: true, size: 50, requests: 2, newest: true, listed: 50},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := newFake(t, map[string]string{
				"/redfish/v1":           strings.TrimSuffix(fakeRoot, "}") + fmt.Sprintf(`, "ProtocolFeaturesSupported": {"TopSkipQuery": %v}}`, tt.topSkip),
				"/redfish/v1/Systems/1": `{"LogServices": {"@odata.id": "/redfish/v1/LS"}}`, "/redfish/v1/Managers/1": `{}`,
				"/redfish/v1/LS": `{"Members": [{"Id": "Lclog", "Name": "Lifecycle", "Entries": {"@odata.id": "/redfish/v1/L"}}, {"Id": "Dump", "Entries": {"@odata.id": "/redfish/v1/nowhere"}}]}`,
			}, nil)
			asked, inner := 0, f.Config.Handler
			f.Config.Handler = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				if !strings.HasPrefix(r.URL.Path, "/redfish/v1/L/") && r.URL.Path != "/redfish/v1/L" {
					inner.ServeHTTP(w, r)
					return
				}
				asked++
				at := func(i int) int {
					if tt.oldestFirst {
						return i + 1
					}
					return entries - i
				}
				if n, err := strconv.Atoi(strings.TrimPrefix(r.URL.Path, "/redfish/v1/L/")); err == nil {
					_, _ = w.Write([]byte(entry(n)))
					return
				}
				if tt.refuses && r.URL.Query().Has("$top") {
					w.WriteHeader(http.StatusNotImplemented)
					return
				}
				skip, _ := strconv.Atoi(r.URL.Query().Get("$skip"))
				var members []string
				for i := skip; i < min(skip+tt.size, entries); i++ {
					if tt.links {
						members = append(members, fmt.Sprintf(`{"@odata.id": "/redfish/v1/L/%d"}`, at(i)))
					} else {
						members = append(members, entry(at(i)))
					}
				}
				next := ""
				if skip+tt.size < entries {
					next = fmt.Sprintf(`, "Members@odata.nextLink": "/redfish/v1/L?$skip=%d"`, skip+tt.size)
				}
				_, _ = fmt.Fprintf(w, `{"Members": [%s], "Members@odata.count": %d%s}`, strings.Join(members, ","), entries, next)
			})
			got, err := Probe(t.Context(), f.target())
			if err != nil {
				t.Fatal(err)
			}
			if len(got.Log) != tt.listed || asked != tt.requests || (got.Log[0].ID == strconv.Itoa(entries)) != tt.newest || (len(got.Unread) == 0) != tt.newest {
				t.Errorf("%d entries, %d requests, unread %+v", len(got.Log), asked, got.Unread)
			}
			if l := got.Log[0]; l.Log != "Lifecycle" || l.Severity != models.BMCHealthCritical {
				t.Errorf("%+v", l)
			}
		})
	}
}

// TestExpand checks that a collection is read with one request if possible. A controller that fails to expand a
// collection must not be asked to do so again.
func TestExpand(t *testing.T) {
	t.Parallel()
	const modules = 24
	for name, tt := range map[string]struct {
		can              string
		refuses          bool
		expanded, single int
	}{
		"it can":                 {can: `{"ExpandAll": true}`, expanded: 2},
		"without links":          {can: `{"ExpandAll": true, "NoLinks": true}`, expanded: 2},
		"it cannot":              {can: `{}`, single: 2 * modules},
		"it cannot, and says so": {can: `{"NoLinks": true}`, refuses: true, expanded: 1, single: 2 * modules},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := newFake(t, map[string]string{
				"/redfish/v1":            strings.TrimSuffix(fakeRoot, "}") + `, "ProtocolFeaturesSupported": {"ExpandQuery": ` + tt.can + `}}`,
				"/redfish/v1/Systems/1":  `{"Memory": {"@odata.id": "/redfish/v1/M"}, "Processors": {"@odata.id": "/redfish/v1/P"}}`,
				"/redfish/v1/Managers/1": `{}`,
			}, nil)
			expanded, single, inner := 0, 0, f.Config.Handler
			f.Config.Handler = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				list, id, one := strings.Cut(strings.TrimPrefix(r.URL.Path, "/redfish/v1/"), "/")
				switch {
				case list != "M" && list != "P":
					inner.ServeHTTP(w, r)
				case one:
					single++
					_, _ = fmt.Fprintf(w, `{"Id": %q}`, id)
				case r.URL.Query().Has("$expand") && tt.refuses:
					expanded++
					w.WriteHeader(http.StatusBadRequest)
				default:
					var members []string
					for i := range modules {
						member := fmt.Sprintf(`{"@odata.id": "/redfish/v1/%s/%d"}`, list, i)
						if r.URL.Query().Has("$expand") {
							member = fmt.Sprintf(`{"@odata.id": "/redfish/v1/%s/%d", "Id": "%d"}`, list, i, i)
						}
						members = append(members, member)
					}
					if r.URL.Query().Has("$expand") {
						expanded++
					}
					_, _ = fmt.Fprintf(w, `{"Members": [%s]}`, strings.Join(members, ","))
				}
			})
			got, err := Probe(t.Context(), f.target())
			if err != nil || len(got.Memory) != modules || len(got.Processors) != modules || len(got.Unread) > 0 {
				t.Fatalf("%+v, %v", got, err)
			}
			if expanded != tt.expanded || single != tt.single {
				t.Errorf("%d expanded, %d one by one", expanded, single)
			}
		})
	}
}
