package cmd

import (
	"testing"

	"ironworks/session"
	"ironworks/sshserver/access"
	"ironworks/ui/action"
	"ironworks/ui/screen"
)

// keyring are BMCs with a keyring.
type keyring struct{ screen.BMCs }

func (keyring) HasKeyring() bool { return true }

// TestSharedBMCsHaveNoKeyring: what a user enters is not stored for the others.
func TestSharedBMCsHaveNoKeyring(t *testing.T) {
	t.Parallel()
	if (sharedBMCs{keyring{}}).HasKeyring() {
		t.Error("a user can store credentials in the server's keyring")
	}
	r := newServedRig(t)
	for role, want := range map[access.Role]bool{access.Viewer: false, access.Operator: true, access.Admin: true} {
		m := &session.Member{ReadOnly: role == access.Viewer}
		opened, err := r.server.open(m, func(text string) { t.Log(text) })
		if err != nil {
			t.Fatal(err)
		}
		if _, shared := opened.BMCs.(sharedBMCs); shared != want || (opened.Enroll != nil) != want || opened.Context.ReadOnly == want || opened.Consoles != nil || opened.Shells != nil {
			t.Errorf("%s: %T, %+v", role, opened.BMCs, opened.Context)
		}
	}
}

// TestForbiddenActions: all roles lack what uses the server's files and terminal, viewers also what contacts BMCs.
func TestForbiddenActions(t *testing.T) {
	t.Parallel()
	for role, extra := range map[access.Role][]action.ID{
		access.Viewer: {action.GoEnroll, action.Validate, action.DeployWizard}, access.Operator: nil, access.Admin: nil,
	} {
		no := forbidden(role)
		for _, id := range append([]action.ID{action.Suspend, action.GoIgnition, action.Shell, action.LogSave}, extra...) {
			if no[id] == "" {
				t.Errorf("%s may %s", role, id)
			}
		}
		if len(no) != 4+len(extra) {
			t.Errorf("%s: %v", role, no)
		}
	}
}
