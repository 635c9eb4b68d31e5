package enroll

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"

	"ironworks/cmd/cli"
	"ironworks/enroll"
	"ironworks/models"
	"ironworks/models/request"
	"ironworks/provision"
)

type enrollRow struct {
	Node        string            `json:"node"`
	UUID        string            `json:"uuid"`
	Source      string            `json:"source"`
	Action      enroll.Kind       `json:"action"`
	MatchedBy   []string          `json:"matched_by,omitempty"`
	Changes     []string          `json:"changes,omitempty"`
	NotCompared []string          `json:"not_compared,omitempty"`
	Prepare     string            `json:"prepare,omitempty"`
	Reason      string            `json:"reason,omitempty"`
	Remedy      string            `json:"remedy,omitempty"`
	Notes       []string          `json:"notes,omitempty"`
	Warning     string            `json:"warning,omitempty"`
	Requests    []request.Request `json:"requests,omitempty"`
	Commands    []string          `json:"commands,omitempty"`
}

var enrollHeader = []string{"NODE", "ACTION", "MATCHED BY", "DETAILS"}

// enrollCells returns the cells of an item's row below enrollHeader.
func enrollCells(it *enroll.Item, goal provision.Goal, noInspect bool) []string {
	return []string{it.Node.Label(), string(it.Kind), strings.Join(it.MatchedBy, ", "), provision.EnrollDetails(it, goal, noInspect)}
}

func (a *app) printEnrollPlan(plan enroll.Plan, goal provision.Goal, flags *enrollFlags, lost int) error {
	rows := make([]enrollRow, len(plan))
	r := cli.Result{Header: enrollHeader, Data: rows}
	for i := range plan {
		it := &plan[i]
		rows[i] = enrollRow{
			Node: it.Node.Label(), UUID: it.UUID, Source: it.Node.Source.String(), Action: it.Kind, MatchedBy: it.MatchedBy,
			Changes: it.Differences(), NotCompared: it.NotCompared, Prepare: it.Node.Prepare.String(), Reason: it.Reason, Remedy: it.Remedy, Notes: it.Node.Notes,
			Warning: provision.EnrollWarning(it, goal, flags.noInspect),
		}
		rows[i].Requests, rows[i].Commands = provision.EnrollRequests(it, goal, flags.noInspect)
		r.Add(it.Node.Label(), enrollCells(it, goal, flags.noInspect)...)
	}
	if err := a.Print(r); err != nil {
		return err
	}
	if a.Output == cli.OutputTable {
		var text strings.Builder
		for i := range rows {
			for _, req := range rows[i].Requests {
				fmt.Fprintf(&text, "%s\n", req)
			}
			for _, command := range rows[i].Commands {
				fmt.Fprintf(&text, "  $ %s\n", command)
			}
		}
		if err := a.PrintOut("%s", text.String()); err != nil {
			return err
		}
	}
	a.PrintMessage("%s; nothing was sent", plan)
	return enrollCode(plan.Refused(), lost)
}

func enrollCode(refused, lost int) error {
	switch {
	case lost > 0:
		return &cli.CodeError{Code: cli.ExitFailed}
	case refused > 0:
		return &cli.CodeError{Code: cli.ExitRefused}
	}
	return nil
}

func (a *app) tellEnrolled(plan enroll.Plan, results []provision.Enrolled, lost int) error {
	type row struct {
		Node      models.NodeRef    `json:"node"`
		Result    provision.Outcome `json:"result"`
		State     string            `json:"state"`
		Did       []string          `json:"did"`
		RequestID string            `json:"request_id,omitempty"`
		Error     string            `json:"error,omitempty"`
		Remedy    string            `json:"remedy,omitempty"`
		Note      string            `json:"note,omitempty"`
	}
	r := cli.Result{Header: []string{"NODE", "RESULT", "STATE", "DONE", "REASON"}}
	data := make([]row, 0, len(results))
	code, refused, failed := cli.ExitOK, 0, 0
	for i, res := range results {
		one := row{Node: res.Node, Result: res.Outcome, State: res.State, Did: cli.NonNil(res.Changes), RequestID: res.RequestID, Note: res.Note}
		reason := res.Note
		if res.Err != nil {
			one.Error, reason = res.Err.Error(), cli.ShortCause(res.Err)
			if one.Remedy, _ = provision.EnrollRemedy(&plan[i], &res.Result); one.Remedy != "" {
				reason += "; " + one.Remedy
			}
		}
		data = append(data, one)
		label := res.Node.Label()
		if res.Node.Name == "" {
			label = plan[i].Node.Label()
		}
		r.Rows = append(r.Rows, []string{label, string(res.Outcome), res.State, strings.Join(res.Changes, ", "), reason})
		switch res.Outcome {
		case provision.OutcomeDone, provision.OutcomeAccepted:
			r.Names = append(r.Names, label)
		case provision.OutcomeRefused:
			refused++
		case provision.OutcomeFailed, provision.OutcomeUnknown, provision.OutcomeNotTried, provision.OutcomeCanceled:
			failed++
			code = cli.WorseExitCode(code, max(cli.ExitCode(res.Err), cli.ExitFailed))
		}
	}
	r.Data = data
	if err := a.Print(r); err != nil {
		return err
	}
	if failed > 0 {
		a.PrintMessage("%d of %s failed; run the command again to continue", failed, models.Counted(len(results), "node"))
	}
	if code != cli.ExitOK {
		return &cli.CodeError{Code: code}
	}
	return enrollCode(refused, lost)
}

// enrollProgress counts the nodes by state, for the progress line.
type enrollProgress struct {
	mu     sync.Mutex
	total  int
	states map[string]models.ProvisionState
}

func (p *enrollProgress) update(now provision.Progress) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if now.State != "" {
		p.states[now.Node.UUID] = now.State
	}
}

func (p *enrollProgress) line() string {
	p.mu.Lock()
	defer p.mu.Unlock()
	counts := map[models.ProvisionState]int{}
	for _, s := range p.states {
		counts[s]++
	}
	return fmt.Sprintf("enrolling %s: %s", models.Counted(p.total, "node"), models.Tally(counts, slices.Sorted(maps.Keys(counts))))
}
