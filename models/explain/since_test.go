package explain

import (
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"ironworks/models"
)

// changedAt returns one change to the named field. The before argument is the time from the change to explainNow.
func changedAt(before time.Duration, field string) []models.NodeChange {
	return []models.NodeChange{{Field: field, At: ago(before).Time}}
}

// TestExplainSince checks how changes made after a failure appear in the explanation and in the STEP column. The
// failure was 10 minutes ago.
func TestExplainSince(t *testing.T) {
	t.Parallel()
	const hints = "Deploy step deploy.install_coreos failed on node x. Error finding the disk or partition device to deploy the image onto: No suitable device was found for deployment using these hints {'wwn': '0xdead'}"
	const password = "Failed to get power state for node " + aNode + ". Error: Redfish exception occurred. Error: HTTP GET http://127.0.0.1:8000/redfish/v1/Systems/1 returned code 401. unknown error Extended information: none"
	const maintenance = "Deploy aborted as node is in maintenance mode"
	const family = "Failed to prepare to deploy: Failed to download image http://10.0.0.1/x, reason: [Errno 5] Input/output error"
	cases := map[string]struct {
		state   models.ProvisionState
		text    string
		changes []models.NodeChange
		change  func(n *models.Node)
		// done is text that the verdict and the next action both contain. It is empty if neither is expected to
		// mention a change.
		done, command, step string
	}{
		"the hints": {
			state: models.StateDeployFailed, text: hints, changes: changedAt(2*time.Minute, "properties.root_device"),
			done: "The root device hints were changed after this failure", command: "ironworks deploy r7-n01", step: "hints changed; try again",
		},
		"the hints of the instance, leaf by leaf": {
			state: models.StateDeployFailed, text: hints, changes: changedAt(time.Second, "instance_info.root_device.wwn"),
			done: "The root device hints were changed after this failure", command: "ironworks deploy r7-n01", step: "hints changed; try again",
		},
		"the hints, before the failure": {
			state: models.StateDeployFailed, text: hints, changes: changedAt(20*time.Minute, "properties.root_device"),
			command: "ironworks disks r7-n01", step: "no disk matches the hints",
		},
		"something else": {
			state: models.StateDeployFailed, text: hints, changes: changedAt(2*time.Minute, "driver_info.redfish_password"),
			command: "ironworks disks r7-n01", step: "no disk matches the hints",
		},
		"the hints, by another program": {
			state: models.StateDeployFailed, text: hints, change: func(n *models.Node) { n.Properties = map[string]any{"root_device": map[string]any{"wwn": "0xbeef"}} },
			done: "The root device hints were changed after this failure", command: "ironworks deploy r7-n01", step: "hints changed; try again",
		},
		"the same hints": {
			state: models.StateDeployFailed, text: hints, change: func(n *models.Node) { n.Properties = map[string]any{"root_device": map[string]any{"wwn": "0xdead"}} },
			command: "ironworks disks r7-n01", step: "no disk matches the hints",
		},
		"somebody's deployment": {
			state: models.StateDeployFailed, text: hints, changes: changedAt(2*time.Minute, "properties.root_device"), change: func(n *models.Node) { n.InstanceUUID = "i" },
			done: "The root device hints were changed after this failure", command: "ironworks history r7-n01", step: "hints changed; try again",
		},
		"a deployment from here": {
			state: models.StateDeployFailed, text: hints, changes: append(changedAt(20*time.Minute, models.ChangeReserved), changedAt(2*time.Minute, "properties.root_device")...), change: func(n *models.Node) { n.InstanceUUID = "i" },
			done: "The root device hints were changed after this failure", command: "ironworks deploy r7-n01", step: "hints changed; try again",
		},
		"one that was given back": {
			state: models.StateDeployFailed, text: hints, changes: append(append(changedAt(20*time.Minute, models.ChangeReserved), changedAt(19*time.Minute, models.ChangeReleased)...), changedAt(2*time.Minute, "properties.root_device")...), change: func(n *models.Node) { n.InstanceUUID = "i" },
			done: "The root device hints were changed after this failure", command: "ironworks history r7-n01", step: "hints changed; try again",
		},
		"the password": {
			state: models.StateEnroll, text: password, changes: changedAt(2*time.Minute, "driver_info.redfish_password"),
			done: "The BMC credentials were changed after this failure", command: "ironworks manage r7-n01", step: "password changed; try again",
		},
		"the address": {
			state: models.StateEnroll, text: password, changes: changedAt(2*time.Minute, "driver_info.redfish_address"),
			done: "The BMC settings were changed after this failure", command: "ironworks manage r7-n01", step: "BMC settings changed; try again",
		},
		"the image, for a family": {
			state: models.StateDeployFailed, text: family, changes: changedAt(2*time.Minute, "instance_info.image_source"),
			done: "The image or ISO was changed after this failure", command: "ironworks deploy r7-n01", step: "image changed; try again",
		},
		"the disks to skip": {
			state: models.StateCleanFailed, text: realText(46), changes: changedAt(2*time.Minute, "properties.skip_block_devices"),
			done: "The disks that cleaning skips were changed after this failure", command: "ironworks manage r7-n01", step: "skipped disks changed; try again",
		},
		"maintenance that was lifted": {
			state: models.StateDeployFailed, text: maintenance,
			done: "The maintenance that blocked this operation was lifted", command: "ironworks deploy r7-n01", step: "maintenance lifted; try again",
		},
		"maintenance that is still there": {
			state: models.StateDeployFailed, text: maintenance, change: func(n *models.Node) { n.Maintenance = true },
			command: "ironworks maintenance off r7-n01", step: "in maintenance: no operation started",
		},
		"tried again already": {
			state: models.StateDeploying, text: "", changes: changedAt(2*time.Minute, "properties.root_device"),
			command: "ironworks node r7-n01", step: "",
		},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := failed(c.state, c.text, func(n *models.Node, f *Facts) {
				n.ProvisionUpdatedAt = ago(10 * time.Minute)
				f.Row.Changes = c.changes
				if c.change != nil {
					c.change(n)
				}
			})
			e := Explain(f)[0]
			if says := strings.Contains(e.Verdict, "was") && strings.HasPrefix(e.Verdict, c.done+". The failure was: "); says != (c.done != "") {
				t.Errorf("verdict %q, want %q", e.Verdict, c.done)
			}
			if e.Next.Command != c.command || !strings.Contains(e.Next.Text, c.done) {
				t.Errorf("next %q: %q", e.Next.Command, e.Next.Text)
			}
			if c.done != "" && len(c.changes) > 0 && !strings.Contains(evidenceText(e), "changed since="+c.changes[len(c.changes)-1].Field) {
				t.Errorf("evidence %v", e.Evidence)
			}
			if got := StepLine(f.Row, explainNow, nil); got != c.step {
				t.Errorf("STEP %q, want %q", got, c.step)
			}
		})
	}
}

func evidenceText(e Explanation) string {
	var b strings.Builder
	for _, item := range e.Evidence {
		b.WriteString(item.Field + "=" + item.Value + "\n")
	}
	return b.String()
}

// TestExplainSinceHistory checks that the time of the failure is taken from the node's history, if possible.
func TestExplainSinceHistory(t *testing.T) {
	t.Parallel()
	for before, want := range map[time.Duration]bool{30 * time.Second: true, 5 * time.Minute: false} {
		f := failed(models.StateDeployFailed, "", func(n *models.Node, f *Facts) {
			n.ProvisionUpdatedAt = ago(10 * time.Minute)
			f.History = []models.HistoryEntry{{Event: realText(5), Severity: "ERROR", CreatedAt: ago(time.Minute)}}
			f.Row.Changes = changedAt(before, "properties.root_device")
		})
		if e := Explain(f)[0]; e.Rule != "no-hinted-device" || strings.Contains(e.Next.Text, "changed after") != want {
			t.Errorf("%s before: %s: %s", before, e.Rule, e.Next.Text)
		}
	}
}

// TestRemedies checks that the rules named by remedies exist, and that the brief texts fit into 40 cells.
func TestRemedies(t *testing.T) {
	t.Parallel()
	known := map[RuleID]bool{}
	for _, r := range Rules() {
		known[r.ID] = true
	}
	for _, r := range append(remedies, maintenanceLifted) {
		if n := utf8.RuneCountInString(r.brief); n == 0 || n > 40 || r.done == "" {
			t.Errorf("%+v", r)
		}
		for _, id := range r.rules {
			if !known[id] {
				t.Errorf("%s: no rule %s", r.brief, id)
			}
		}
	}
}
