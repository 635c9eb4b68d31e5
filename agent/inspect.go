package agent

import (
	"context"
	"fmt"
	"net/http"
	"time"

	"ironworks/python"
)

const (
	inspectTries   = 5
	inspectWait    = 5 * time.Second
	inspectWaitMax = 30 * time.Second
)

// inspect sends the inventory. Usually Ironic did not request it and answers 404, which is
// ignored. The result is the node's UUID if Ironic returned it.
func (a *agent) inspect(ctx context.Context) (string, error) {
	collectors := list{"default", "logs"}
	a.log.inspector.info("inspection is enabled with collectors %s", python.Repr(collectors))
	data := newDict()
	failure := ""
	if a.options.Faults.NoInventory {
		failure = "collector default failed: [Errno 5] Input/output error"
		a.log.inspector.error("%s", failure)
		failure = "The following errors were encountered:\n* " + failure
		data.Set("error", failure)
	} else {
		a.collectDefault(data, collectors)
		data.Set("error", nil)
	}
	data.Set("logs", archive(a.journal.text(), a.now()))
	url := a.options.IronicURL + "/v1/continue_inspection"

	answer, err := a.postInspection(ctx, url, data, func() { a.log.inspector.info("Posting collected data to %s", url) })
	if err != nil {
		return "", err
	}
	if answer.status >= http.StatusBadRequest {
		a.log.inspector.error("inspector %s error %d: %s, proceeding with lookup", url, answer.status, answer.body)
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
	v, err := python.ParseJSON(string(answer.body))
	if err != nil {
		return "", fmt.Errorf("reading the answer of inspection: %w", err)
	}
	o, _ := v.(*dict)
	return o.Text("uuid"), nil
}

// inspectAgain sends the inventory that Ironic refused once more. The lookup got a token, for which it needs the
// node's lock: a conductor that requested the inspection waits for the inventory now. Only success is logged, as most
// boots are not for inspection.
func (a *agent) inspectAgain(ctx context.Context) error {
	if a.refusedInventory == nil {
		return nil
	}
	answer, err := a.postInspection(ctx, a.options.IronicURL+"/v1/continue_inspection", a.refusedInventory, func() {})
	if err == nil && answer.status < http.StatusBadRequest {
		a.log.inspector.info("inspection finished successfully")
	}
	a.refusedInventory = nil
	return err
}

// collectDefault is the collector of that name.
func (a *agent) collectDefault(data *dict, collectors list) {
	data.Set("inventory", a.inventory)
	name, err := modern.pick(a.inventory.Disks, nil)
	if err != nil {
		a.log.inspector.warning("no suitable root device detected")
	}
	for _, d := range a.inventory.Disks {
		if d.Name == name && err == nil {
			data.Set("root_disk", d)
		}
	}
	data.Set("boot_interface", a.inventory.Boot.PXEInterface)
	data.Set("configuration", newDict("collectors", collectors, "managers", a.options.age().managerList()))
}

// postInspection retries while Ironic is busy, failing or unreachable; a final error ends the
// agent, too. It calls posting before each request.
func (a *agent) postInspection(ctx context.Context, url string, data *dict, posting func()) (reply, error) {
	wait := inspectWait
	for try := 1; ; try++ {
		posting()
		// Like the real agent, it sends no version; a version below 1.84 would be refused.
		answer, err := a.ironic.call(ctx, http.MethodPost, "/v1/continue_inspection", 0, data)
		if err == nil && answer.status < http.StatusInternalServerError && answer.status != http.StatusConflict {
			return answer, nil
		}
		if err == nil {
			err = fmt.Errorf("status %d", answer.status)
		}
		if try == inspectTries {
			a.log.agent.error("Unhandled error posting to %s: %v", url, err)
			return reply{}, fmt.Errorf("posting the inventory: %w", err)
		}
		if !a.sleep(ctx, wait) {
			return reply{}, ctx.Err()
		}
		wait = min(2*wait, inspectWaitMax)
	}
}
