package bmc

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strings"

	"ironworks/models"
)

// allJobs is the job ID that makes Dell's action delete all jobs in the queue.
const allJobs = "JID_CLEARALL"

// doClearJobs empties the controller's job queue: with Dell's action, or by deleting the jobs one by one.
func (m *server) doClearJobs(ctx context.Context) (string, error) {
	controller, err := m.findManager(ctx)
	if err != nil && controller == nil {
		return "", err
	}
	queue, err := m.dellQueue(ctx, controller)
	if err != nil {
		return "", err
	}
	if queue != "" {
		return m.clearQueue(ctx, controller, queue)
	}
	lists, err := m.jobLists(ctx, controller)
	if len(lists) == 0 {
		if err == nil {
			err = m.refuse("this BMC has no job queue and no tasks", "")
		}
		return "", err
	}
	return m.deleteJobs(ctx, lists)
}

// dellQueue returns the address of the action that empties Dell's job queue, or "" if there is none. The controller
// links to the service of this action, or the service has the fixed path of newer or of older iDRACs.
func (m *server) dellQueue(ctx context.Context, controller *manager) (string, error) {
	if controller == nil {
		return "", nil
	}
	places := []string{controller.Links.Oem.Dell.DellJobService.ID}
	if strings.Contains(m.root.Vendor+controller.Manufacturer+m.system.Manufacturer, "Dell") || strings.HasPrefix(controller.ID, "iDRAC") {
		id := last(controller.ref.ID)
		places = append(places, strings.TrimRight(controller.ref.ID, "/")+"/Oem/Dell/DellJobService", "/redfish/v1/Dell/Managers/"+id+"/DellJobService")
	}
	for _, at := range places {
		if at == "" {
			continue
		}
		var service struct {
			Actions struct {
				Delete *action `json:"#DellJobService.DeleteJobQueue"`
			}
		}
		err := m.get(ctx, at, &service)
		switch {
		case status(err) == http.StatusNotFound:
		case err != nil:
			return "", err
		case service.Actions.Delete != nil:
			return cmp.Or(service.Actions.Delete.Target, at+"/Actions/DellJobService.DeleteJobQueue"), nil
		}
	}
	return "", nil
}

func (m *server) clearQueue(ctx context.Context, controller *manager, queue string) (string, error) {
	before, known := m.countJobs(ctx, controller)
	note, err := m.act(ctx, queue, map[string]string{"JobID": allJobs})
	if err != nil {
		return "", err
	}
	after, still := m.countJobs(ctx, controller)
	if !known || !still {
		return "cleared the queue (" + allJobs + ")" + note, nil
	}
	done := "deleted " + models.Counted(max(before-after, 0), "job") + note
	if after > 0 {
		done += fmt.Sprintf("; %d remain", after)
	}
	return done, nil
}

// countJobs returns the number of jobs, and reports whether this number could be read.
func (m *server) countJobs(ctx context.Context, controller *manager) (int, bool) {
	at := cmp.Or(controller.Links.Oem.Dell.Jobs.ID, strings.TrimRight(controller.ref.ID, "/")+"/Jobs")
	raw, err := m.pages(ctx, at, 1<<12)
	return len(raw), err == nil
}

// deleteJobs deletes the ended and pending jobs in the lists, one by one. It skips running jobs.
func (m *server) deleteJobs(ctx context.Context, lists []ref) (string, error) {
	var deleted, running int
	var failed partialError
	for _, list := range lists {
		raw, err := m.expanded(ctx, list.ID, mostMembers)
		if err != nil {
			failed.add(err)
			continue
		}
		for _, member := range raw {
			if ctx.Err() != nil {
				return "", errors.Join(ctx.Err(), failed.err())
			}
			runs, err := m.deleteJob(ctx, member)
			switch {
			case runs:
				running++
			case err != nil:
				failed.add(err)
			default:
				deleted++
			}
		}
	}
	if deleted == 0 && failed.failed > 0 {
		return "", failed.first
	}
	done := "deleted " + models.Counted(deleted, "job")
	if deleted == 0 {
		done = "no jobs to delete"
	}
	if running > 0 {
		done += fmt.Sprintf("; %d still running", running)
	}
	if failed.failed > 0 {
		done += fmt.Sprintf("; cannot delete %d: %s", failed.failed, m.fault("", failed.first).Reason())
	}
	return done, nil
}

// deleteJob deletes a job that is not running. The runs result reports whether the job is running.
func (m *server) deleteJob(ctx context.Context, member json.RawMessage) (runs bool, err error) {
	var j job
	at, err := m.decodeMember(ctx, member, &j)
	if err != nil {
		return false, err
	}
	switch j.state() {
	case "Running", "Starting", "Stopping", "Cancelling", "Service":
		return true, nil
	}
	_, err = m.send(ctx, func() (*http.Response, error) {
		resp, err := m.client.WithContext(ctx).Delete(at) //nolint:bodyclose // gofish does
		if err != nil {
			return nil, err
		}
		resp.Body = http.NoBody // gofish has already closed the original body
		return resp, nil
	})
	return false, err
}
