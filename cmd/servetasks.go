package cmd

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"time"

	"ironworks/atomicfile"
	"ironworks/audit"
	"ironworks/models"
	"ironworks/provision"
	"ironworks/ui/screen"
	"ironworks/ui/task"
)

// taskFiles keeps the server's running tasks on disk, in a file each. Deployments have records of their own.
type taskFiles struct {
	dir          string
	printMessage func(format string, args ...any)
}

type keptTask struct {
	Form    screen.TaskForm `json:"form"`
	Command string          `json:"command"`
	Actor   audit.Actor     `json:"actor"`
	Began   time.Time       `json:"began"`
	Nodes   []keptNode      `json:"nodes"`
}

// keptNode is the state of a node before the task.
type keptNode struct {
	models.NodeRef
	State   models.ProvisionState `json:"state"`
	Touched models.Time           `json:"touched"`
	Target  string                `json:"target,omitempty"`
}

func (f taskFiles) path(t *screen.Task) string {
	return filepath.Join(f.dir, fmt.Sprintf("%d-%d.json", t.Began.UnixNano(), t.Number))
}

// Began stores a task on disk, so that it can be resumed.
func (f taskFiles) Began(t *screen.Task) {
	if t.Form == nil {
		return
	}
	kept := keptTask{Form: *t.Form, Command: t.Command, Actor: t.Runner.Actor, Began: t.Began}
	for _, item := range t.Plan.Legal() {
		n := &item.Node
		kept.Nodes = append(kept.Nodes, keptNode{NodeRef: n.Ref(), State: n.ProvisionState, Touched: n.ProvisionUpdatedAt, Target: string(n.TargetProvisionState)})
	}
	data, err := json.Marshal(kept)
	if err == nil {
		err = errors.Join(os.MkdirAll(f.dir, 0o700), atomicfile.Replace(f.path(t), data))
	}
	if err != nil {
		f.printMessage("task %d cannot be resumed after a restart: %v", t.Number, err)
	}
}

// Ended removes the file of a task.
func (f taskFiles) Ended(t *screen.Task) {
	if err := os.Remove(f.path(t)); err != nil && !errors.Is(err, os.ErrNotExist) {
		f.printMessage("task %d: %v", t.Number, err)
	}
}

// load returns the stored tasks. It removes their files, because resumed tasks are stored again.
func (f taskFiles) load() (tasks []keptTask, err error) {
	names, err := filepath.Glob(filepath.Join(f.dir, "*.json"))
	slices.Sort(names)
	for _, name := range names {
		data, failed := os.ReadFile(name) //nolint:gosec // below the program's own folder
		var t keptTask
		if failed == nil {
			failed = json.Unmarshal(data, &t)
		}
		err = errors.Join(err, failed, os.Remove(name))
		if failed == nil {
			tasks = append(tasks, t)
		}
	}
	return tasks, err
}

// resumeWithin is the maximum age of a resumed task. Operators do not expect older tasks to continue.
const resumeWithin = time.Hour

// resumeTasks continues the tasks that were interrupted when the previous server ended. For nodes to which the task
// had already sent something, according to the audit log, it only waits for the result. On the other nodes, it
// performs the action.
func (s *consoleServer) resumeTasks(ctx context.Context, files taskFiles) {
	tasks, err := files.load()
	if err != nil {
		s.app.PrintMessage("interrupted tasks: %v", err)
	}
	for i := range tasks {
		t := &tasks[i]
		switch {
		case s.shared.Context.ReadOnly:
			err = errors.New("this context is read-only")
		case time.Since(t.Began) > resumeWithin:
			err = fmt.Errorf("older than %s", resumeWithin)
		default:
			err = s.resumeTask(ctx, t)
		}
		if err != nil {
			s.app.PrintMessage("not resumed: %s, started by %s: %v", t.Command, t.Actor.User, err)
		}
	}
}

func (s *consoleServer) resumeTask(ctx context.Context, t *keptTask) error {
	act, err := task.Build(t.Form.Action, t.Form.Values, nil)
	if err != nil {
		return err
	}
	ids := make([]string, len(t.Nodes))
	for i, n := range t.Nodes {
		ids[i] = n.UUID
	}
	nodes, err := provision.FindNodes(ctx, s.shared.Client, ids)
	if err != nil {
		return err
	}
	sent := map[string]time.Time{}
	for _, n := range t.Nodes {
		records, err := audit.Read(s.app.Files.Audit, s.shared.Context.Name, n.NodeRef)
		if err != nil {
			return err
		}
		for _, r := range records {
			if r.Actor == t.Actor && !r.Time.Before(t.Began) && r.Result != audit.Refused {
				sent[n.UUID] = r.Time
				i := slices.IndexFunc(nodes, func(one models.Node) bool { return one.UUID == n.UUID })
				nodes[i].ProvisionState, nodes[i].ProvisionUpdatedAt = n.State, n.Touched // the state before the task
			}
		}
	}
	runner := *s.shared.Runner
	runner.Actor = t.Actor
	resumed := &screen.Task{Plan: runner.Plan(act, nodes), Runner: runner, Command: t.Command, Form: &t.Form}
	//nolint:contextcheck // the task has the context of the list
	s.runTask(resumed, func(uuid string) (time.Time, bool) {
		at, was := sent[uuid]
		return at, was
	})
	s.app.PrintMessage("resumed %s, started by %s: already sent to %d of %s", t.Command, t.Actor.User, len(sent), models.Counted(len(t.Nodes), "node"))
	return nil
}

// runTask completes a task whose Plan, Runner and Command are set, adds it to the task list of the runner's user, and
// runs it. The task uses the context of the task list.
func (s *consoleServer) runTask(t *screen.Task, sent func(uuid string) (time.Time, bool)) {
	t.Context, t.Began, t.Cancels = t.Runner.Context, time.Now(), &provision.Cancels{}
	s.tasks.For(t.Runner.Actor.User, nil).Add(t)
	runner, batch, cancels := t.Runner, t.Plan, t.Cancels
	s.tasks.Start(t.Number, func(ctx context.Context, report screen.TaskReports) []provision.Result {
		return runner.Run(ctx, batch, provision.RunOptions{Wait: true, Cancels: cancels, Sent: sent, Progress: func(p provision.Progress) {
			report.Progress(p)
			s.shared.PollNow()
		}, Done: report.Done})
	})
}
