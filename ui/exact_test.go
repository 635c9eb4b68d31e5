package ui

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"ironworks/ignition/prepare"
	"ironworks/ignition/serve"
	"ironworks/ignition/userdata"
	"ironworks/ui/screen"
)

// fakeRamdisks builds a ramdisk that has one file, /etc/hostname, and is otherwise the same for all inputs. The only
// user data file that it can check is worker.bu.
type fakeRamdisks struct{}

func (fakeRamdisks) IronicURL() string { return "https://ironic.rack7.example:6385" }

func (fakeRamdisks) Build(_ context.Context, in prepare.Inputs) (prepare.Built, error) {
	return prepare.Built{Preview: prepare.Preview{
		Spec: "3.2.0", Size: 5300, Packed: 2100, Logins: []string{"core: ssh-ed25519 256 me@here"}, Text: "{}",
		Files: []prepare.PreviewFile{{Path: "/etc/hostname", Mode: 0o644, Size: len(in.Hostname), Text: in.Hostname}},
	}}, nil
}

func (fakeRamdisks) Check(_ context.Context, path string, known prepare.FileStamp) (prepare.Checked, error) {
	const text = "variant: fcos\nversion: 1.5.0\nstorrage: {}\n"
	switch {
	case path != "worker.bu":
		return prepare.Checked{}, errors.New(path + ": no such file or directory")
	case known.Size == int64(len(text)):
		return prepare.Checked{Same: true}, nil
	}
	return prepare.Checked{Stamp: prepare.FileStamp{Size: int64(len(text))}, Source: []byte(text), Report: userdata.Check([]byte(text))}, nil
}

func (fakeRamdisks) Save(context.Context, prepare.ConfigSource, string, bool) (string, error) {
	return "saved", nil
}

func (fakeRamdisks) Look(context.Context, string) (prepare.ImageLook, error) {
	return prepare.ImageLook{}, nil
}

func (fakeRamdisks) Embed(context.Context, prepare.ConfigSource, prepare.EmbedOrder) (string, error) {
	return "embedded", nil
}

func (fakeRamdisks) Wrap(context.Context, prepare.ConfigSource, prepare.WrapOrder) (string, error) {
	return "wrapped", nil
}

func (fakeRamdisks) Addresses(context.Context, []string) ([]serve.Candidate, error) { return nil, nil }

func (fakeRamdisks) Serve(context.Context, prepare.ConfigSource, prepare.ServeOrder) (screen.Serving, error) {
	return nil, errors.New("not here")
}

func withRamdisks(_ *rig, o *Options) { o.Ramdisks = fakeRamdisks{} }

func TestIgnitionGoldens(t *testing.T) {
	inBubble(t, rack(), withRamdisks, func(r *rig) {
		r.press("6")
		r.pass(time.Second)
		r.golden("ignition")
		r.press("?")
		r.golden("ignition-help")
	})
}

func TestRamdiskFormKeepsItsInput(t *testing.T) {
	inBubble(t, rack(), withRamdisks, func(r *rig) {
		r.resize(160, 50)
		r.press("6")
		r.shows("› ignition", "Hostname")
		for range 14 {
			r.press("j")
		}
		for !strings.Contains(r.text(), "❯ Hostname") {
			r.press("down")
		}
		r.press("enter")
		r.write("q1?") // these keys are typed as text; they neither quit nor open the fleet or the help
		r.shows("enter save", "q1?")
		r.pass(time.Second)
		r.shows("/etc/hostname  0644  3 B")
		r.press("enter", "1", "6")
		r.shows("q1?")
		// The form keeps its values in another context.
		r.press(":")
		r.write("context lab")
		r.press("enter")
		r.pass(time.Second)
		r.shows("lab › fleet")
		r.press("6")
		r.shows("lab › ignition", "q1?")
	})
}

func TestConsoleOpensAFile(t *testing.T) {
	inBubble(t, rack(), func(r *rig, o *Options) {
		withRamdisks(r, o)
		o.File = "worker.bu"
	}, func(r *rig) {
		r.shows("worker.bu", "storrage", "line 3")
		r.press("esc")
		r.shows("› fleet")
	})
	// The form also works without a connection to Ironic.
	inBubble(t, rack(), func(r *rig, o *Options) {
		withRamdisks(r, o)
		r.refused = errors.New("no context is chosen")
		o.File = "worker.bu"
	}, func(r *rig) {
		r.pass(10 * time.Second)
		r.shows("worker.bu", "storrage", "line 3")
		r.press("E")
		r.shows("no context is open")
	})
}

// applyISO opens the dialog that sets the ramdisk of nodes, and fills in the nodes and the address of the ISO.
func (r *rig) applyISO(nodes string) {
	r.t.Helper()
	r.press("6", "E", "ctrl+u")
	r.write(nodes)
	r.press("tab", "tab")
	r.write("http://10.0.0.2/agent.iso")
	r.press("enter")
}

func TestRamdiskRequestsAreShownBeforeTheyAreSent(t *testing.T) {
	inBubble(t, rack(), withRamdisks, func(r *rig) {
		r.resize(120, 50)
		r.applyISO(rack()[3].UUID)
		r.sent()
		r.shows("PATCH", "/driver_info/deploy_iso", "http://10.0.0.2/agent.iso", "baremetal node set", "Send 1 request?")
		r.answer("y")
		r.sent("add /driver_info/deploy_iso r7-n04")
		r.press("5", "enter")
		r.pass(time.Minute)
		r.shows("ignition apply", "r7-n04", "✓ done", "--iso http://10.0.0.2/agent.iso")
	})
}

func TestRamdiskOfSeveralNodesAsksForYes(t *testing.T) {
	inBubble(t, rack(), withRamdisks, func(r *rig) {
		r.resize(140, 50)
		r.press("6", "1")
		r.choose("r7-n04")
		r.press("space")
		r.choose("r7-n06")
		r.press("space", "6", "E")
		r.shows("r7-n04, r7-n06") // the dialog suggests the marked nodes
		r.press("esc")
		r.applyISO(rack()[3].UUID + "," + rack()[5].UUID)
		r.shows("Send 2 requests for 2 nodes?")
		r.sent()
		r.answer("enter")
		r.sent()
		r.press("y")
		r.pass(time.Second)
		if got := len(r.ironic.requests()); got != 2 {
			r.t.Errorf("%d requests: %q", got, r.ironic.requests())
		}
	})
}

func TestReadOnlyModeAppliesNoRamdisk(t *testing.T) {
	inBubble(t, rack(), withRamdisks, func(r *rig) {
		r.press("ctrl+o", "6", "E")
		r.shows("read-only mode; ctrl+o turns it off")
		r.lacks("Write into nodes")
		r.press("ctrl+s")
		r.shows("Save as Ignition") // saving to a local file changes nothing that others use
	})
}
