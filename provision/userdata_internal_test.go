package provision

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"ironworks/models"
)

const withLocalFile = `variant: fcos
version: 1.5.0
passwd:
  users:
    - {name: core, ssh_authorized_keys_local: [key.pub]}
`

const aKey = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIJ8dT0oxk4qCwz1ydjWTvCnSbmPEp8d0qYxvXUqsnIFu me@here"

// TestLocalFilesOfUserData are found beside the file, in whatever way it is named, and are
// in what is sent and in what is recorded: what is sent later does not look at them again.
func TestLocalFilesOfUserData(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	for name, text := range map[string]string{"host.bu": withLocalFile, "key.pub": aKey + "\n"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	file := PlanFile{Plan: &models.Plan{}, Dir: dir}
	for name, read := range map[string]func() (Deployment, error){
		"a file that a plan names": func() (Deployment, error) {
			return file.With(models.PlanFields{ConfigDrive: models.PlanConfigDrive{UserDataFile: "host.bu"}})
		},
		"text in a plan": func() (Deployment, error) {
			return file.With(models.PlanFields{ConfigDrive: models.PlanConfigDrive{UserData: withLocalFile}})
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
			drive, err := d.configDrive(models.KindDirect)
			if err != nil {
				t.Fatal(err)
			}
			// Butane is nothing that a machine reads: what is made of it is sent.
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
			first, err := d.configDrive(models.KindInstallCoreOS)
			if err != nil {
				t.Fatal(err)
			}
			second, err := again.configDrive(models.KindInstallCoreOS)
			if err != nil || !sameJSON(first, second) {
				t.Errorf("sent %s\nthen %s, %v", first, second, err)
			}
		})
	}
}

// TestEmptyUserDataFile is refused: nobody means that.
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
