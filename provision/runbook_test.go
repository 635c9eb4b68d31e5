package provision_test

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"ironworks/models"
	"ironworks/provision"
)

// books is a fake Ironic with runbooks.
type books struct {
	list []json.RawMessage
	err  error
}

func (b books) RawDeployTemplates(context.Context) ([]json.RawMessage, error) { return nil, b.err }
func (b books) RawRunbooks(context.Context) ([]json.RawMessage, error)        { return b.list, b.err }

func book(fields string) json.RawMessage {
	return json.RawMessage(`{"uuid":"u","name":"CUSTOM_B",` + fields + `}`)
}

const eraseStep = `"steps":[{"interface":"deploy","step":"erase_devices_metadata","order":2,"args":{}},{"interface":"raid","step":"delete_configuration","order":1,"args":{}}]`

// TestRunbookOnNodes checks that ironworks refuses the same nodes as Ironic, and that it does so before it sends
// anything.
func TestRunbookOnNodes(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		book   string
		err    error
		ident  string
		change func(n *models.Node)
		verb   models.Verb
		quiet  bool // --disable-ramdisk
		raid   string
		// refused is part of the refusal, or "" if the node is not refused. text is part of the effect or of a
		// warning.
		refused, text string
	}{
		"allowed by a trait":         {book: `"traits":["CUSTOM_X","CUSTOM_A"],` + eraseStep, text: "runbook CUSTOM_B: manual cleaning runs raid.delete_configuration and 1 more step"},
		"none of the traits":         {book: `"traits":["CUSTOM_X","CUSTOM_Y"],` + eraseStep, refused: "the node has none of the traits of runbook CUSTOM_B: CUSTOM_X, CUSTOM_Y"},
		"no traits":                  {book: `"traits":[],` + eraseStep, refused: "runbook CUSTOM_B has no traits, so Ironic cannot run it on any node"},
		"before 1.112, its name":     {book: eraseStep, change: func(n *models.Node) { n.Traits = []string{"CUSTOM_B"} }, text: "manual cleaning"},
		"before 1.112, not its name": {book: eraseStep, refused: "the node has none of the traits of runbook CUSTOM_B: CUSTOM_B"},
		"unknown":                    {book: eraseStep, ident: "CUSTOM_Z", refused: `no runbook has the name or UUID "CUSTOM_Z"`},
		"not readable":               {err: errors.New("no answer"), refused: "no answer"},
		"another state":              {book: `"traits":["CUSTOM_A"],` + eraseStep, change: func(n *models.Node) { n.ProvisionState = models.StateActive }, refused: "active"},
		"a step that is not offered": {book: `"traits":["CUSTOM_A"],` + eraseStep, raid: "no-raid", refused: "raid.delete_configuration: not offered by raid interface no-raid"},
		"an ignored option":          {book: `"traits":["CUSTOM_A"],"disable_ramdisk":false,` + eraseStep, quiet: true, text: "--disable-ramdisk has no effect"},
		"without a ramdisk":          {book: `"traits":["CUSTOM_A"],"disable_ramdisk":true,` + eraseStep, text: "without the ramdisk (disable_ramdisk)"},
		"of another project":         {book: `"traits":["CUSTOM_A"],"owner":"p1","public":false,` + eraseStep, text: "the runbook belongs to project p1, which does not own the node"},
		"of another project, public": {book: `"traits":["CUSTOM_A"],"owner":"p1","public":true,` + eraseStep, text: "more steps on the machine's disks and settings"},
		"servicing":                  {book: `"traits":["CUSTOM_A"],"steps":[{"interface":"raid","step":"delete_configuration","order":1}]`, verb: models.VerbService, change: func(n *models.Node) { n.ProvisionState = models.StateActive }, text: "destroys data on disks"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			n := node("n1", models.StateManageable)
			n.Traits = []string{"CUSTOM_A"}
			if c.change != nil {
				c.change(&n)
			}
			if c.raid == "" {
				c.raid = "agent"
			}
			n.Raw = json.RawMessage(`{"deploy_interface":"direct","raid_interface":"` + c.raid + `"}`)
			req := models.ProvisionRequest{Verb: models.VerbClean, Runbook: "CUSTOM_B", DisableRamdisk: c.quiet}
			if c.verb != "" {
				req.Verb = c.verb
			}
			if c.ident != "" {
				req.Runbook = c.ident
			}
			api := newAPI(n)
			runner := &provision.Runner{API: api}
			batch, err := runner.Prepare(t.Context(), provision.RunRunbook(books{list: []json.RawMessage{book(c.book)}, err: c.err}, req), []string{n.UUID})
			if err != nil {
				t.Fatal(err)
			}
			item := batch.Items[0]
			switch {
			case c.refused != "":
				if item.Refusal == nil || !strings.Contains(item.Refusal.Error(), c.refused) {
					t.Errorf("%v, want %s", item.Refusal, c.refused)
				}
			case item.Refusal != nil:
				t.Errorf("refused: %v", item.Refusal)
			default:
				if !strings.Contains(item.Effect.Text, c.text) {
					t.Errorf("%s, want %s", item.Effect.Text, c.text)
				}
			}
		})
	}
}
