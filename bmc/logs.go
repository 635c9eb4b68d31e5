package bmc

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/stmcginnis/gofish/schemas"

	"ironworks/models"
)

// logsFor bounds the reading of the logs: some controllers give entries one by one, and
// have thousands.
const logsFor = 20 * time.Second

// readLogs reads the newest entries of the logs of the machine and of its controller.
func (p *probe) readLogs() error {
	ctx, cancel := context.WithTimeout(p.ctx, logsFor)
	defer cancel()
	hurried := p.client.WithContext(ctx)
	services, err := p.system.LogServices()
	all := []error{err}
	if p.manager != nil {
		more, err := p.manager.LogServices()
		services, all = append(services, more...), append(all, err)
	}
	seen := map[string]bool{}
	for _, service := range services {
		if seen[service.ODataID] {
			continue
		}
		seen[service.ODataID] = true
		service.SetClient(hurried)
		entries, err := service.Entries()
		all = append(all, err)
		p.found.Log = append(p.found.Log, newest(service, entries)...)
	}
	return errors.Join(all...)
}

func newest(service *schemas.LogService, entries []*schemas.LogEntry) []models.BMCEntry {
	out := make([]models.BMCEntry, 0, len(entries))
	for _, e := range entries {
		at, err := time.Parse(time.RFC3339, e.Created)
		if err != nil {
			at, _ = time.Parse(time.RFC3339, e.EventTimestamp)
		}
		out = append(out, models.BMCEntry{
			Log: cmp.Or(service.Name, service.ID), ID: e.ID, At: at, Severity: models.BMCHealth(e.Severity), Message: cmp.Or(e.Message, e.Description, e.MessageID),
		})
	}
	slices.SortStableFunc(out, func(a, b models.BMCEntry) int { return b.At.Compare(a.At) })
	return out[:min(len(out), MostEntries)]
}

// readBIOS reads the settings, and what of them waits for the next boot.
func (p *probe) readBIOS() error {
	bios, err := p.system.Bios()
	if bios == nil || err != nil {
		return err
	}
	pending, err := p.pending(bios.ODataID)
	for name, value := range bios.Attributes {
		v := models.BMCValue{Name: name, Value: text(value)}
		if next, differs := pending[name]; differs && text(next) != v.Value {
			v.Pending = text(next)
		}
		p.found.BIOS = append(p.found.BIOS, v)
	}
	slices.SortFunc(p.found.BIOS, func(a, b models.BMCValue) int { return cmp.Compare(a.Name, b.Name) })
	return err
}

func text(value any) string {
	if value == nil {
		return ""
	}
	return fmt.Sprint(value)
}

// pending are the settings that were written and do not hold yet: they are in an object of
// their own.
func (p *probe) pending(path string) (map[string]any, error) {
	var bios struct {
		Settings struct {
			Object struct {
				ID string `json:"@odata.id"`
			} `json:"SettingsObject"`
		} `json:"@Redfish.Settings"`
	}
	if err := p.get(path, &bios); err != nil || bios.Settings.Object.ID == "" {
		return nil, err
	}
	var next struct{ Attributes map[string]any }
	err := p.get(bios.Settings.Object.ID, &next)
	return next.Attributes, err
}

func (p *probe) get(path string, into any) error {
	answer, err := p.client.Get(path) //nolint:bodyclose // the cleanup does
	defer schemas.DeferredCleanupHTTPResponse(answer)
	if err != nil {
		return err
	}
	return json.NewDecoder(answer.Body).Decode(into)
}

// readJobs reads the tasks that the controller has.
func (p *probe) readJobs() error {
	service, err := p.client.Service.Tasks()
	if service == nil || err != nil {
		return err
	}
	tasks, err := service.Tasks()
	for _, t := range tasks {
		job := models.BMCJob{ID: t.ID, Name: t.Name, State: string(t.TaskState)}
		if t.PercentComplete != nil {
			percent := int(*t.PercentComplete) //nolint:gosec // at most a hundred
			job.Percent = &percent
		}
		if n := len(t.Messages); n > 0 {
			job.Message = t.Messages[n-1].Message
		}
		p.found.Jobs = append(p.found.Jobs, job)
	}
	return err
}
