package models

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"
)

// strangeTexts are what no rule knows: messages of other programs, near misses of those
// that rules know, pieces of them, other languages, and what nobody would write.
var strangeTexts = []string{
	// Ironic's own that have no rule, and near misses.
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
	"Deploy step deploy.write_image failed: unexpected EOF",
	"Deploy step raid.apply_configuration failed on node x. Error: mdadm: cannot open /dev/sda: No such device",
	"Clean step deploy.burnin_cpu failed on node x. Command execution failed: stress-ng exited with 2",
	"Clean step raid.create_configuration failed on node x. The RAID level 7 is not supported",
	"Unexpected error when processing next deploy step. AttributeError: 'NoneType' object has no attribute 'get'",
	"Failed to process the next deploy step: 'steps'",
	"Failed to process the next deploy step: commands",
	"Failed to prepare to deploy. Exception: [Errno 28] No space left on device",
	"Failed to prepare to deploy. Exception: '/tmp/a' and '/tmp/b' are the same file",
	"Failed to tear down. Error: [Errno 2] No such file or directory",
	"Asynchronous execution of do_node_deploy failed with error: division by zero",
	"Async execution of BaseConductorManager failed with error: (sqlite3.OperationalError) database is locked",
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
	// What only tells of an error, or has it behind another.
	"The page about 'Image failed to verify against checksum' was moved",
	`see the article "No suitable device was found for deployment using these hints"`,
	"grep says Agent could not find a valid IP address",
	"Disk sdb is broken. Also failed to clean up due to: No suitable virtual media device found",
	"it used to be that TLS is required by configuration",
	// Other programs.
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
	// Other languages.
	"Zeitüberschreitung beim Warten auf den Rückruf des Knotens",
	"Délai dépassé en attendant le rappel du nœud",
	"ノードのコールバック待機中にタイムアウトしました",
	"等待节点回调超时",
	"Превышено время ожидания обратного вызова",
	// What nobody would write.
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
	if len(strangeTexts) < 60 {
		t.Errorf("only %d", len(strangeTexts))
	}
	for i, text := range strangeTexts {
		t.Run(fmt.Sprintf("%d %.30q", i, text), func(t *testing.T) {
			t.Parallel()
			for _, f := range []*ExplainFacts{
				{Text: text},
				{Text: text, State: StateDeployFailed},
				{Text: text, State: "a new state"},
				failed(StateDeployFailed, text, nil), failed(StateCleanFailed, text, nil), failed("a new state", text, nil),
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

// wantSafe wants texts that a terminal shows as they are.
func wantSafe(t *testing.T, all []Explanation) {
	t.Helper()
	for _, e := range all {
		texts := append([]string{e.Verdict, e.Next.Text, e.Next.Command, string(e.Rule)}, e.Not...)
		for _, item := range e.Evidence {
			texts = append(texts, item.Field, item.Value)
		}
		for _, text := range texts {
			if Printable(text) != text {
				t.Errorf("%s is not safe to show: %.80q", e.Rule, text)
			}
		}
	}
}

func TestExplainNearest(t *testing.T) {
	t.Parallel()
	cases := map[string]struct {
		text, want string
	}{
		"a piece":       {"Timeout reached while waiting for callb", "callback-timeout"},
		"a near miss":   {"no free conductor worker available", "no-workers"},
		"not a word":    {"等待节点回调超时", "shares no word"},
		"empty":         {"-", "shares no word"},
		"one of a long": {"protected", "distance 0."},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			e := Explain(&ExplainFacts{Text: c.text})[0]
			if e.Rule != RuleUnknown || !strings.Contains(e.Not[0], c.want) {
				t.Errorf("%s: %v", e.Rule, e.Not)
			}
		})
	}
}

func TestExplainJSON(t *testing.T) {
	t.Parallel()
	f := failed(StateDeployFailed, timedOut, func(n *Node, f *ExplainFacts) {
		n.Internal.LastHeartbeat = ago(5 * time.Hour)
		n.PowerState = PowerOff
	})
	got, err := json.Marshal(Explain(f)[0])
	if err != nil {
		t.Fatal(err)
	}
	want := `{"rule":"callback-timeout","verdict":"The ramdisk did not call back in time (30 minutes by default): it did not boot, died, or cannot reach Ironic","confidence":"medium",` +
		`"evidence":[{"field":"last_error","value":"Timeout reached while waiting for callback for node ` + aNode + `"},{"field":"agent_last_heartbeat","value":"2026-11-22 09:00:00 UTC","age_seconds":18000},{"field":"power_state","value":"power off"}],` +
		`"not":["an error that the ramdisk reported: nothing was heard"],"next":{"text":"Watch the machine's console while it boots, then try again.","command":"ironworks deploy r7-n01"}}`
	if string(got) != want {
		t.Errorf("\n got %s\nwant %s", got, want)
	}
}

func TestExplainOldText(t *testing.T) {
	t.Parallel()
	e := Explain(failed(StateActive, timedOut, nil))[0]
	if e.Confidence == ConfidenceHigh || !slices.ContainsFunc(e.Not, func(n string) bool { return strings.Contains(n, "earlier work") }) {
		t.Errorf("a node that is active with an old error: %+v", e)
	}
}

func TestExplainDeadline(t *testing.T) {
	t.Parallel()
	all := Explain(waiting(12*time.Minute, func(*Node, *ExplainFacts) {}))
	text := fmt.Sprint(all[0].Evidence)
	if !strings.Contains(text, "in 18m00, by Ironic's default of 1800 s") {
		t.Errorf("no deadline: %s", text)
	}
}

func TestExplainAddresses(t *testing.T) {
	t.Parallel()
	f := waiting(12*time.Minute, func(n *Node, f *ExplainFacts) {
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
	row := func(name string, state ProvisionState, reason string) *Row {
		return &Row{Node: Node{UUID: name, Name: name, ProvisionState: state, LastError: reason}}
	}
	rows := []*Row{
		row("a", StateDeployFailed, timedOut), row("b", StateDeployFailed, strings.ReplaceAll(timedOut, aNode, "b")),
		row("c", StateDeployFailed, realText(5)), row("d", StateDeployWait, ""), row("e", StateActive, ""), row("f", StateCleanFailed, ""),
	}
	if got := FindSiblings(rows[0], rows); got.Same != 1 || got.Of != 3 || got.Names[0] != "b" {
		t.Errorf("%+v", got)
	}
	if got := FindSiblings(rows[4], rows); got.Same != 0 || got.Of != 0 {
		t.Errorf("an active node has siblings: %+v", got)
	}
}

func FuzzExplain(f *testing.F) {
	for _, c := range realTexts {
		f.Add(c.text, string(c.state))
	}
	f.Fuzz(func(t *testing.T, text, state string) {
		all := Explain(&ExplainFacts{Text: text, State: ProvisionState(state)})
		if len(all) == 0 {
			t.Fatal("no explanation")
		}
		wantSafe(t, all)
	})
}
