package provision

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"ironworks/models"
	"ironworks/models/plan"
)

const withLocalFile = `variant: fcos
version: 1.5.0
passwd:
  users:
    - {name: core, ssh_authorized_keys_local: [key.pub]}
`

const aKey = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIJ8dT0oxk4qCwz1ydjWTvCnSbmPEp8d0qYxvXUqsnIFu me@here"

// TestLocalFilesOfUserData checks that local files are found relative to the user data. Their contents must become
// part of the data to send and of the record, because the files are not read again later.
func TestLocalFilesOfUserData(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	for name, text := range map[string]string{"host.bu": withLocalFile, "key.pub": aKey + "\n"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	file := PlanFile{Plan: &plan.Plan{}, Dir: dir}
	for name, read := range map[string]func() (Deployment, error){
		"a file that a plan names": func() (Deployment, error) {
			return file.WithFields(plan.Fields{ConfigDrive: plan.ConfigDrive{UserDataFile: "host.bu"}})
		},
		"text in a plan": func() (Deployment, error) {
			return file.WithFields(plan.Fields{ConfigDrive: plan.ConfigDrive{UserData: withLocalFile}})
		},
		"a file by itself": func() (Deployment, error) { return Deployment{}.WithUserDataFile(filepath.Join(dir, "host.bu")) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d, err := read()
			if err != nil {
				t.Fatal(err)
			}
			if report := d.Report(); report == nil || !report.OK() {
				t.Fatalf("refused: %+v", report.Problems)
			}
			drive, err := d.configDrive(factsOf(plan.KindDirect, d))
			if err != nil {
				t.Fatal(err)
			}
			// A machine cannot read Butane, so the translation to Ignition is sent.
			if sent, _ := drive.(map[string]any)["user_data"].(string); !json.Valid([]byte(sent)) || !strings.Contains(sent, aKey) {
				t.Errorf("sent %s", sent)
			}
			recorded, err := recordDeployment(d)
			if err != nil {
				t.Fatal(err)
			}
			again, err := recorded.deployment()
			if err != nil {
				t.Fatal(err)
			}
			first, err := d.configDrive(factsOf(plan.KindInstallCoreOS, d))
			if err != nil {
				t.Fatal(err)
			}
			second, err := again.configDrive(factsOf(plan.KindInstallCoreOS, again))
			if err != nil || !SameJSON(first, second) {
				t.Errorf("sent %s\nthen %s, %v", first, second, err)
			}
		})
	}
}

// TestEmptyUserDataFile checks that an empty file is refused, because it is probably a mistake.
func TestEmptyUserDataFile(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "host.bu")
	if err := os.WriteFile(path, []byte(" \n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := (Deployment{}).WithUserDataFile(path); err == nil || !strings.Contains(err.Error(), "host.bu is empty") {
		t.Errorf("%v", err)
	}
}

func factsOf(kind plan.Kind, d Deployment) *plan.Facts {
	return &plan.Facts{Kind: kind, Node: &models.Node{}, Plan: d.Fields, UserData: d.userDataFacts()}
}

// TestUserDataIsSentForItsReader checks that user data is sent in the form that its reader expects. Butane is never
// sent untranslated.
func TestUserDataIsSentForItsReader(t *testing.T) {
	t.Parallel()
	const (
		butane      = "variant: fcos\nversion: 1.5.0\npasswd:\n  users:\n  - name: core\n"
		broken      = "variant: fcos\nversion: 1.5.0\npasswd:\n  users: 7\n"
		ignitionDoc = `{"ignition": {"version": "3.2.0"}}`
		cloudConfig = "#cloud-config\nusers: [default]\n"
	)
	for name, tt := range map[string]struct {
		data   string
		kind   plan.Kind
		reader plan.UserDataReader
		// sent is the start of the data to send, or "" if an error is expected.
		sent string
	}{
		"Butane, reader unknown":        {butane, plan.KindDirect, "", `{"ignition"`},
		"Butane for Ignition":           {butane, plan.KindBootc, plan.ReaderIgnition, `{"ignition"`},
		"Butane for cloud-init":         {butane, plan.KindDirect, plan.ReaderCloudInit, ""},
		"Butane for another reader":     {butane, plan.KindCustomAgent, plan.ReaderOther, ""},
		"broken Butane, reader unknown": {broken, plan.KindDirect, "", ""},
		"Ignition":                      {ignitionDoc, plan.KindDirect, "", `{"ignition"`},
		"cloud-config":                  {cloudConfig, plan.KindDirect, "", "#cloud-config"},
		"cloud-config for Ignition":     {cloudConfig, plan.KindDirect, plan.ReaderIgnition, ""},
		"text for another reader":       {"hello", plan.KindDirect, plan.ReaderOther, "hello"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d := Deployment{Fields: plan.Fields{ConfigDrive: plan.ConfigDrive{UserData: tt.data, Reader: tt.reader}}}.withReport()
			drive, err := d.configDrive(factsOf(tt.kind, d))
			if (err != nil) != (tt.sent == "") {
				t.Fatalf("error %v, want sent %q", err, tt.sent)
			}
			if err != nil {
				return
			}
			if sent, _ := drive.(map[string]any)["user_data"].(string); !strings.HasPrefix(sent, tt.sent) {
				t.Errorf("sent %q, want %q", sent, tt.sent)
			}
		})
	}
}
