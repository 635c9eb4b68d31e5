package cmd

import (
	"os"
	"path/filepath"
	"reflect"
	"testing"
	"time"

	"ironworks/audit"
	"ironworks/models"
	"ironworks/provision"
	"ironworks/ui/screen"
)

func TestTasksOfTheServerAreKeptWhileTheyRun(t *testing.T) {
	t.Parallel()
	files := taskFiles{dir: filepath.Join(t.TempDir(), "tasks", "prod"), printMessage: t.Errorf}
	item := func(name string, refused *models.Refusal) provision.Item {
		return provision.Item{Node: models.Node{UUID: "uuid-" + name, Name: name, ProvisionState: models.StateManageable}, Refusal: refused}
	}
	form := &screen.TaskForm{Action: "clean", Values: map[string]string{"steps": "deploy.erase_devices"}}
	one := &screen.Task{
		Number: 1, Began: time.Now(), Form: form, Command: "ssh HOST clean n1",
		Runner: provision.Runner{Actor: audit.Actor{User: "anna"}}, Plan: provision.Batch{Items: []provision.Item{item("n1", nil), item("n2", &models.Refusal{})}},
	}
	without := &screen.Task{Number: 2, Began: time.Now(), Command: "ssh HOST deploy n3"}
	ended := &screen.Task{Number: 3, Began: time.Now(), Form: form}
	for _, task := range []*screen.Task{one, without, ended} {
		files.Began(task)
	}
	files.Ended(without)
	files.Ended(ended)
	got, err := files.load()
	if err != nil || len(got) != 1 {
		t.Fatalf("%+v %v", got, err)
	}
	want := []keptNode{{NodeRef: models.NodeRef{UUID: "uuid-n1", Name: "n1"}, State: models.StateManageable}}
	if k := got[0]; !reflect.DeepEqual(&k.Form, form) || k.Actor.User != "anna" || k.Command != one.Command || !reflect.DeepEqual(k.Nodes, want) || !k.Began.Equal(one.Began) {
		t.Errorf("%+v", k)
	}
	if again, err := files.load(); err != nil || len(again) != 0 {
		t.Errorf("taken twice: %+v %v", again, err)
	}
	if err := os.WriteFile(filepath.Join(files.dir, "1.json"), []byte("{"), 0o600); err != nil {
		t.Fatal(err)
	}
	if broken, err := files.load(); err == nil || len(broken) != 0 {
		t.Errorf("a broken file: %+v %v", broken, err)
	}
}
