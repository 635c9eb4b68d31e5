package explain

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"ironworks/models"
	"ironworks/printable"
)

// strangeTexts lists texts that must match no rule: messages from other programs, near misses of known messages,
// fragments, other languages, and nonsense.
var strangeTexts = []string{
	// Messages from Ironic for which there is no rule, and near misses of known messages.
	"Timeout reached while waiting for secure boot state of node x to become True, current is False",
	"Timeout reached while waiting for the BIOS job",
	"Timeout reached while waiting for callb",
	"imeout reached while waiting for callback for node x",
	"Timeout reached while waiting for a callback",
	"Timeout while cleaning the node",
	"Failed to change power state of node x to 'power on', attempt 1 of 3.",
	"Failed to get the power state for node x",
	"Max retries exceeded",
	"max retries exceeded for node x",
	"Failed to tear down. Error: [Errno 2] No such file or directory",
	"Asynchronous execution of do_node_deploy failed with error: division by zero",
	"Image is too large for the disk",
	"Image failed to verify",
	"Image verified against checksum",
	"The image checksum file was read",
	"Checksum file does contain name x",
	"Security group not found",
	"Download of image i was successful",
	"Downloads failed: 3",
	"The requested action was done",
	"Node x is locked",
	"is locked by host h, please retry",
	"Node x is protected",
	"Protected mode is on; the firmware located on device 3 is old",
	"Block device mapping is invalid",
	"Unable to connect to the database",
	"Resource temporarily unavailable",
	"[Errno 11] Resource temporarily unavailable",
	"Conflict on inspection",
	"Several nodes were inspected",
	"Port 9999 is closed",
	"Port 80 failed",
	"Virtual media mounted for node x",
	"Setting boot mode to uefi succeeded for node x",
	"HTTP GET https://10.1.0.1/redfish/v1/Systems/1 returned code 503. Base.1.0.ServiceTemporarilyUnavailable",
	"HTTP GET https://images.example/x.qcow2 returned code 401",
	"returned code 401",
	"401 Unauthorized",
	"IPMI call succeeded",
	"node does support this deploy step",
	// Texts that only mention a known error, or that quote it after another error.
	"The page about 'Image failed to verify against checksum' was moved",
	`see the article "No suitable device was found for deployment using these hints"`,
	"grep says Agent could not find a valid IP address",
	"Disk sdb is broken. Also failed to clean up due to: No suitable virtual media device found",
	"it used to be that TLS is required by configuration",
	// Messages from other programs.
	"FATAL: password authentication failed for user \"ironic\"",
	"Traceback (most recent call last):\n  File \"x.py\", line 1, in <module>\nKeyError: 'x'",
	"panic: runtime error: invalid memory address or nil pointer dereference",
	"E: Unable to locate package ironic",
	"error: failed to push some refs to 'origin'",
	"kubelet: Failed to start ContainerManager: system validation failed",
	"systemd[1]: dev-sda1.device: Job dev-sda1.device/start timed out.",
	"dracut-initqueue: timeout, still waiting for following initqueue hooks",
	"PXE-E53: No boot filename received",
	"ORA-12541: TNS:no listener",
	"Error: ENOSPC: no space left on device, write",
	"The server encountered an unexpected condition",
	"0x80070005 (E_ACCESSDENIED)",
	// Texts that contain words of families, but none of Ironic's openings.
	"Failed to prepare to deploy the chart: timed out waiting for the condition",
	"Failed to prepare to deploy",
	"failed to prepare to deploy: image pull failed",
	"error: Failed to pull image \"registry.example/app:v1\": manifest unknown",
	"Error response from daemon: manifest for app:v9 not found",
	"Deploy step 3/7 failed: npm ERR! missing script: build",
	"Deployment step failed on node worker-3: image not found",
	"Clean step: make clean failed on this node",
	"Node worker-1 failed to drain: cannot evict pod",
	"Node worker-1 failed health check: firmware too old",
	"kubelet: Node r7-n01 failed step {1} of draining: console closed",
	"MountVolume.SetUp failed for volume \"pvc-1\": rpc error: code = Internal desc = iSCSI login failed",
	"neutron-l3-agent: Port 4f2 could not be bound",
	"nova.exception.PortBindingFailed: Binding failed for port 4f2, please check neutron logs",
	"cinder-volume: Failed to initialize connection for volume 7",
	"glance-api: Image download failed: checksum mismatch",
	"qemu-img: Could not open 'x.qcow2': Image is not in qcow2 format",
	"grub-install: error: cannot find EFI directory",
	"efibootmgr: Could not prepare Boot variable: No space left on device",
	"bash: mdadm: command not found",
	"[Errno 2] No such file or directory: 'mdadm'",
	"sudo: ipmitool: command not found",
	"ipmitool: Unable to establish IPMI v2 / RMCP+ session",
	"IPMI: set boot device failed",
	"Redfish: ResourceNotFound at /redfish/v1/Systems/2",
	"racadm: ERROR: RAC1047 virtual media is detached",
	"iLO: firmware update failed, flash the iLO again",
	"megacli: RAID level 7 is not supported by this controller",
	"mdadm: cannot open /dev/sda: Device or resource busy",
	"hdparm: security password not set",
	"parted: Error: Partition(s) 1 on /dev/sda have been written",
	"sfdisk: /dev/sda: the GPT is damaged",
	"ansible: FAILED! => the playbook stops here",
	"terraform: Error: Invalid value for variable",
	"keystone: The request you have made requires authentication.",
	"sqlalchemy.exc.OperationalError: (pymysql.err.OperationalError) (2003, \"Can't connect to MySQL server\")",
	"oslo_messaging.exceptions.MessagingTimeout: Timed out waiting for a reply",
	"dnsmasq-dhcp: DHCP packet received without address",
	"iPXE: http://10.0.0.1/boot.ipxe... No such file or directory (https://ipxe.org/2d0c618e)",
	"Anaconda: the kickstart file has an error in line 3",
	"chronyd: No suitable source for synchronisation, NTP server unreachable",
	"the inspection hook of git rejected the push",
	"pre-commit hook failed: inventory is out of date",
	"A user asked: what does Redfish exception occurred. Error: mean",
	"see 'Failed to validate deploy or power info for node' in the manual about driver_info",
	"Somebody wrote Failed to inspect hardware. Reason: the hook",
	"Failed to verify: certificate has no subject",
	"Failed to tear down: network sandbox of pod busy",
	"Failed to rescue: no live image",
	"Validation of node exporter failed",
	"Validation of image failed",
	"Swift compiler: operation 'x' failed",
	"SNMP trap received from switch 3, port 7 down",
	"Timeout executing command: reboot",
	"Driver e1000e does not load",
	"Missing the following packages: raid, firmware",
	"Inspection was not aborted",
	"By the way, the clean operation was aborted",
	"Creating the boot image failed: disk full",
	// Texts in other languages.
	"Zeitüberschreitung beim Warten auf den Rückruf des Knotens",
	"Délai dépassé en attendant le rappel du nœud",
	"ノードのコールバック待機中にタイムアウトしました",
	"等待节点回调超时",
	"Превышено время ожидания обратного вызова",
	// Nonsense.
	" ",
	"\x00\x01\x02",
	"\x1b[31mred\x1b[0m \x1b]0;title\x07",
	"\u202e\u2066evil\u2069",
	"{node} {reservation} {}{{}}} {",
	"%s%d%n %!v",
	"'; DROP TABLE nodes; --",
	"<script>alert(1)</script>",
	"None",
	"null",
	"{}",
	"?",
	"a",
	strings.Repeat("Node ", 50_000),
	strings.Repeat("x", 1<<20),
	"\xff\xfe\xfd",
	strings.Repeat("y", maxReason) + " Timeout reached while waiting for callback for node x",
	"Node " + strings.Repeat("z ", 2000) + " is locked by host h, please retry after the current operation is completed",
}

func TestExplainStrangeTexts(t *testing.T) {
	t.Parallel()
	if len(strangeTexts) < 120 {
		t.Errorf("only %d", len(strangeTexts))
	}
	for i, text := range strangeTexts {
		t.Run(fmt.Sprintf("%d %.30q", i, text), func(t *testing.T) {
			t.Parallel()
			for _, f := range []*Facts{
				{Text: text},
				{Text: text, State: models.StateDeployFailed},
				{Text: text, State: "a new state"},
				failed(models.StateDeployFailed, text, nil), failed(models.StateCleanFailed, text, nil), failed("a new state", text, nil),
			} {
				all := Explain(f)
				for _, e := range all {
					if e.Confidence != ConfidenceLow {
						t.Errorf("%s explains it, %s", e.Rule, e.Confidence)
					}
				}
				if best := all[0]; best.Rule != RuleUnknown || len(best.Evidence) == 0 || len(best.Not) == 0 {
					t.Errorf("%+v", best)
				}
				wantSafe(t, all)
			}
		})
	}
}

// wantSafe checks that all text is sanitized.
func wantSafe(t *testing.T, all []Explanation) {
	t.Helper()
	for _, e := range all {
		texts := append([]string{e.Verdict, e.Next.Text, e.Next.Command, string(e.Rule)}, e.Not...)
		for _, item := range e.Evidence {
			texts = append(texts, item.Field, item.Value)
		}
		for _, text := range texts {
			if printable.Line(text) != text {
				t.Errorf("%s is not safe to show: %.80q", e.Rule, text)
			}
		}
	}
}

// TestExplainNearest checks that the nearest known error appears only in the part of the JSON that is meant for
// developers.
func TestExplainNearest(t *testing.T) {
	t.Parallel()
	cases := map[string]struct {
		text, want string
	}{
		"a piece":       {"Timeout reached while waiting for callb", `"developer":{"nearest_rule":"callback-timeout"`},
		"a near miss":   {"no free conductor worker available", `"developer":{"nearest_rule":"no-workers"`},
		"one of a long": {"protected", `"distance":0.`},
		"not a word":    {"等待节点回调超时", `"next":{"text":"Read the text`},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			e := Explain(&Facts{Text: c.text})[0]
			data, err := json.Marshal(e)
			if err != nil {
				t.Fatal(err)
			}
			if e.Rule != RuleUnknown || !strings.Contains(string(data), c.want) {
				t.Errorf("%s: %s", e.Rule, data)
			}
			for _, shown := range append([]string{e.Verdict, e.Next.Text}, e.Not...) {
				if strings.Contains(shown, "distance") || strings.Contains(shown, "rule") {
					t.Errorf("%q is for developers", shown)
				}
			}
		})
	}
	for field, want := range map[string]*Facts{
		"last_error": failed(models.StateDeployFailed, "The goat ate it", nil),
		"history": failed(models.StateDeployFailed, "", func(_ *models.Node, f *Facts) {
			f.History = []models.HistoryEntry{{Event: "The goat ate it", Severity: "ERROR"}}
		}),
		"text as given": {Text: "The goat ate it"},
	} {
		if e := Explain(want)[0]; e.Rule != RuleUnknown || !strings.Contains(e.Verdict, field) {
			t.Errorf("%s: %s: %s", field, e.Rule, e.Verdict)
		}
	}
}

func TestExplainJSON(t *testing.T) {
	t.Parallel()
	f := failed(models.StateDeployFailed, timedOut, func(n *models.Node, f *Facts) {
		n.Internal.LastHeartbeat = ago(5 * time.Hour)
		n.PowerState = models.PowerOff
	})
	got, err := json.Marshal(Explain(f)[0])
	if err != nil {
		t.Fatal(err)
	}
	want := `{"rule":"callback-timeout","verdict":"The ramdisk did not call back in time (30 minutes by default): no boot, crash, or Ironic unreachable","confidence":"medium",` +
		`"evidence":[{"field":"last_error","value":"Timeout reached while waiting for callback for node ` + aNode + `"},{"field":"agent_last_heartbeat","value":"2026-11-22 09:00:00 UTC","age_seconds":18000},{"field":"power_state","value":"power off"}],` +
		`"not":["an error reported by the ramdisk: no message arrived"],"next":{"text":"Watch the machine's console during boot, then try again.","command":"ironworks deploy r7-n01"}}`
	if string(got) != want {
		t.Errorf("\n got %s\nwant %s", got, want)
	}
}

func TestExplainOldText(t *testing.T) {
	t.Parallel()
	e := Explain(failed(models.StateActive, timedOut, nil))[0]
	if e.Confidence == ConfidenceHigh || !slices.ContainsFunc(e.Not, func(n string) bool { return strings.Contains(n, "may be old") }) {
		t.Errorf("a node that is active with an old error: %+v", e)
	}
}

func TestExplainDeadline(t *testing.T) {
	t.Parallel()
	all := Explain(waiting(12*time.Minute, func(*models.Node, *Facts) {}))
	text := fmt.Sprint(all[0].Evidence)
	if !strings.Contains(text, "in 18m00, by Ironic's default of 1800 s") {
		t.Errorf("no deadline: %s", text)
	}
}

func TestExplainAddresses(t *testing.T) {
	t.Parallel()
	f := waiting(12*time.Minute, func(n *models.Node, f *Facts) {
		n.DriverInfo = map[string]any{"deploy_iso": "http://user:hunter2@host/x.iso?sig=hunter2", "redfish_address": "https://root:hunter2@bmc"}
		n.Internal.AgentURL = "https://x:hunter2@10.0.0.9:9999?agent_token=hunter2"
		f.BMC = &BMCFacts{MediaInserted: AnswerYes, Media: "http://u:hunter2@x/boot.iso", Reachable: AnswerNo, Authenticated: AnswerNo, ISOFetchable: AnswerNo, BootMode: "bios"}
	})
	if text := fmt.Sprintf("%+v", Explain(f)); strings.Contains(text, "hunter2") {
		t.Errorf("a secret is shown: %s", text)
	}
}

func TestFindSiblings(t *testing.T) {
	t.Parallel()
	row := func(name string, state models.ProvisionState, reason string) *models.Row {
		return &models.Row{Node: models.Node{UUID: name, Name: name, ProvisionState: state, LastError: reason}}
	}
	rows := []*models.Row{
		row("a", models.StateDeployFailed, timedOut), row("b", models.StateDeployFailed, strings.ReplaceAll(timedOut, aNode, "b")),
		row("c", models.StateDeployFailed, realText(5)), row("d", models.StateDeployWait, ""), row("e", models.StateActive, ""), row("f", models.StateCleanFailed, ""),
	}
	if got := FindSiblings(rows[0], rows); got.Affected != 1 || got.Total != 3 || got.Names[0] != "b" {
		t.Errorf("%+v", got)
	}
	if got := FindSiblings(rows[4], rows); got.Affected != 0 || got.Total != 0 {
		t.Errorf("an active node has siblings: %+v", got)
	}
}

func FuzzExplain(f *testing.F) {
	for _, c := range realTexts {
		f.Add(c.text, string(c.state))
	}
	f.Fuzz(func(t *testing.T, text, state string) {
		all := Explain(&Facts{Text: text, State: models.ProvisionState(state)})
		if len(all) == 0 {
			t.Fatal("no explanation")
		}
		wantSafe(t, all)
	})
}
