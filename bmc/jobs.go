package bmc

import (
	"cmp"
	"context"
	"errors"
	"slices"

	"ironworks/models"
)

// maxJobs is the maximum number of jobs that are read from each list.
const maxJobs = 50

// job holds the fields that this package uses. They come from a Redfish Task, a Redfish Job, or one of Dell's jobs.
type job struct {
	resource
	TaskState, JobState, Message string

	PercentComplete *float64
	Messages        []struct{ Message string }
}

func (j *job) state() string { return cmp.Or(j.TaskState, j.JobState) }

func (j *job) message() string {
	if n := len(j.Messages); n > 0 {
		return j.Messages[n-1].Message
	}
	return j.Message
}

// dellLinks holds the links in Dell's Manager resource that lead to its jobs.
type dellLinks struct{ DellJobService, Jobs ref }

// jobLists returns links to the collections that contain the controller's tasks and jobs.
func (m *server) jobLists(ctx context.Context, controller *manager) ([]ref, error) {
	var tasks struct{ Tasks ref }
	var jobs struct{ Jobs ref }
	err := errors.Join(m.getLinked(ctx, m.root.Tasks, &tasks), m.getLinked(ctx, m.root.JobService, &jobs))
	lists := []ref{tasks.Tasks, jobs.Jobs}
	if controller != nil {
		lists = append(lists, controller.Links.Oem.Dell.Jobs)
	}
	return slices.DeleteFunc(lists, func(r ref) bool { return r.ID == "" }), err
}

// readJobs reads the controller's tasks and jobs.
func (p *probe) readJobs(ctx context.Context) error {
	lists, err := p.jobLists(ctx, p.manager)
	all := []error{err}
	seen := map[string]bool{}
	for _, list := range lists {
		jobs, err := p.jobs(ctx, list)
		all = append(all, err)
		for i := range jobs {
			j := &jobs[i]
			if seen[j.ID] {
				continue // Dell also lists each of its jobs as a task
			}
			seen[j.ID] = true
			p.found.Jobs = append(p.found.Jobs, models.BMCJob{ID: j.ID, Name: j.Name, State: j.state(), Percent: percent(j.PercentComplete), Message: j.message()})
		}
	}
	return errors.Join(all...)
}

// jobs reads the jobs in a list. There may be hundreds, so it uses one request if the controller supports that.
func (m *server) jobs(ctx context.Context, at ref) ([]job, error) {
	raw, err := m.expanded(ctx, at.ID, mostMembers)
	if err != nil {
		return nil, err
	}
	out, err := resolve[job](ctx, m.session, raw[:min(len(raw), maxJobs)])
	if len(raw) > maxJobs {
		err = errors.Join(err, ownErrorf("only %[2]d of %[1]d read", len(raw), maxJobs))
	}
	return out, err
}
