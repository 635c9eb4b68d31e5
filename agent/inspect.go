package agent

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"time"

	"ironworks/models/hints"
	"ironworks/python"
)

const (
	inspectTries   = 5
	inspectWait    = 5 * time.Second
	inspectWaitMax = 30 * time.Second
)

// inspect sends the inventory to Ironic. It ignores status 404, which Ironic usually returns if it does not expect an
// inventory. The result is the UUID of the node, or "" if Ironic did not accept the inventory.
func (a *agent) inspect(ctx context.Context, inventory Inventory) (string, error) {
	a.log.inspector.info("inspection is enabled with collectors %s", python.Repr(listOf(a.options.Collectors)))
	data := newDict()
	failure := a.collect(ctx, data, inventory)
	data.Set("error", nil)
	if failure != "" {
		data.Set("error", failure)
	}
	answer, err := a.postInspection(ctx, data, true)
	if err != nil {
		return "", err
	}
	if answer.status >= http.StatusBadRequest {
		a.log.inspector.error("inspector %s error %d: %s, proceeding with lookup", a.inspectionURLs()[0], answer.status, answer.body)
		if answer.status == http.StatusNotFound && failure == "" && a.options.Fast {
			a.refusedInventory = data
		}
		if failure == "" {
			failure = "stopping inspection, as inspector returned an error"
		}
	}
	if failure != "" {
		a.log.agent.error("Failed to perform inspection: %s", failure)
		return "", nil
	}
	a.log.inspector.info("inspection finished successfully")
	v, err := hints.ParsePythonJSON(string(answer.body))
	if err != nil {
		return "", fmt.Errorf("reading the answer of inspection: %w", err)
	}
	o, _ := v.(*dict)
	return o.Text("uuid"), nil
}

// inspectAgain sends the inventory again if Ironic refused it before. The lookup returned a token, so the node was
// not locked at that time, and a conductor that started an inspection is now waiting for the inventory. inspectAgain
// logs only success, because most machines do not boot for an inspection.
func (a *agent) inspectAgain(ctx context.Context) error {
	if a.refusedInventory == nil {
		return nil
	}
	answer, err := a.postInspection(ctx, a.refusedInventory, false)
	if err == nil && answer.status < http.StatusBadRequest {
		a.log.inspector.info("inspection finished successfully")
	}
	a.refusedInventory = nil
	return err
}

func (a *agent) collectDefault(data *dict, inventory Inventory) {
	data.Set("inventory", inventory)
	name, err := currentAgent.pick(inventory.Disks, nil)
	if err != nil {
		a.log.inspector.warning("no suitable root device detected")
	}
	for _, d := range inventory.Disks {
		if d.Name == name && err == nil {
			data.Set("root_disk", d)
		}
	}
	data.Set("boot_interface", inventory.Boot.PXEInterface)
	data.Set("configuration", newDict("collectors", listOf(a.options.Collectors), "managers", a.options.generation().managerList()))
}

// collect lets the configured collectors add data, and returns their errors in Ironic's format, or "".
func (a *agent) collect(ctx context.Context, data *dict, inventory Inventory) string {
	var failures []string
	fail := func(format string, args ...any) {
		text := fmt.Sprintf(format, args...)
		a.log.inspector.error("%s", text)
		failures = append(failures, "* "+text)
	}
	for _, name := range a.options.Collectors {
		switch {
		case name == "default" && a.options.Faults.NoInventory:
			fail("collector default failed: [Errno 5] Input/output error")
		case name == "default":
			a.collectDefault(data, inventory)
		case name == "logs":
			data.Set("logs", a.collectLogs(ctx, inspectionLines))
		default:
			err := a.collectMore(ctx, name, data)
			if whole, ok := errors.AsType[CollectorError](err); ok {
				fail("%s", whole)
			} else if err != nil {
				fail("collector %s failed: %v", name, err)
			}
		}
	}
	if len(failures) == 0 {
		return ""
	}
	return "The following errors were encountered:\n" + strings.Join(failures, "\n")
}

// Collector is implemented by a [Hardware] that supports collectors other than default and logs.
type Collector interface {
	// Collect runs the collector with the given name. It returns the collected data and their key in the inventory.
	// If value is nil, nothing is sent. The error is [ErrNoCollector] if the collector is unknown.
	Collect(ctx context.Context, name string) (key string, value any, err error)
}

// CollectorError is an error that Ironic receives unchanged, without the name of the collector in front.
type CollectorError string

func (e CollectorError) Error() string { return string(e) }

// ErrNoCollector is returned for a collector that this agent does not support.
var ErrNoCollector = errors.New("this agent has no such collector")

func (a *agent) collectMore(ctx context.Context, name string, data *dict) error {
	collector, ok := a.hardware.(Collector)
	if !ok {
		return ErrNoCollector
	}
	key, value, err := collector.Collect(ctx, name)
	if err == nil && value != nil {
		data.Set(key, value)
	}
	return err
}

const inspectionPath = "/v1/continue_inspection"

func (a *agent) inspectionURLs() []string {
	if a.options.InspectionURL != "" {
		return strings.Split(a.options.InspectionURL, ",")
	}
	urls := a.ironic.addresses()
	for i := range urls {
		urls[i] += inspectionPath
	}
	return urls
}

// postOnce tries the inspection URLs in order until one of them answers. Like the real agent, it sends no API
// version, because Ironic would reject the agent's version, which is below 1.84.
func (a *agent) postOnce(ctx context.Context, data *dict, logged bool) (answer reply, err error) {
	for _, url := range a.inspectionURLs() {
		if logged {
			a.log.inspector.info("Posting collected data to %s", url)
		}
		answer, err = a.ironic.callOne(ctx, http.MethodPost, url, 0, data)
		if err == nil || ctx.Err() != nil {
			break
		}
	}
	return answer, err
}

// postInspection sends the inventory and retries while Ironic is busy, failing or unreachable. It returns an error
// after the last attempt. Such an error ends the agent, unless its service has already started.
func (a *agent) postInspection(ctx context.Context, data *dict, logged bool) (reply, error) {
	wait := inspectWait
	for try := 1; ; try++ {
		answer, err := a.postOnce(ctx, data, logged)
		if err == nil && answer.status < http.StatusInternalServerError && answer.status != http.StatusConflict {
			return answer, nil
		}
		if err == nil {
			err = fmt.Errorf("status %d", answer.status)
		}
		if try == inspectTries {
			a.log.agent.error("Unhandled error posting to %s: %v", a.inspectionURLs()[0], err)
			return reply{}, fmt.Errorf("posting the inventory: %w", err)
		}
		if !a.sleep(ctx, wait) {
			return reply{}, ctx.Err()
		}
		wait = min(2*wait, inspectWaitMax)
	}
}
