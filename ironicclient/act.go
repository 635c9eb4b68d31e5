package ironicclient

import (
	"context"
	"encoding/json"
	"net/http"
	"net/url"

	"ironworks/models"
)

// act sends a change that Ironic only accepts (202, 204) and returns the request id.
func (c *Client) act(ctx context.Context, cl call) (requestID string, err error) {
	ans, err := c.do(ctx, cl)
	if err != nil {
		return "", err
	}
	return requestIDOf(ans.header), nil
}

// Provision sends a provision verb. Success means accepted: follow the node to know
// how it ends.
func (c *Client) Provision(ctx context.Context, id string, r models.ProvisionRequest) (requestID string, err error) {
	body := map[string]any{"target": r.Verb.Target()}
	cl := call{
		op: string(r.Verb) + " node " + models.Printable(id), method: http.MethodPut,
		path: segments("nodes", id, "states", "provision"), body: body,
		// These two validate the power and deploy interfaces before they answer.
		slow: r.Verb == models.VerbDeploy || r.Verb == models.VerbRebuild,
	}
	if len(r.DeploySteps) > 0 {
		body["deploy_steps"] = deploySteps(r.DeploySteps)
		cl.feature = models.FeatureDeploySteps
	}
	if len(r.CleanSteps) > 0 {
		body["clean_steps"] = orderedSteps(r.CleanSteps)
	}
	if len(r.ServiceSteps) > 0 {
		body["service_steps"] = orderedSteps(r.ServiceSteps)
	}
	if r.ConfigDrive != nil {
		body["configdrive"] = r.ConfigDrive
	}
	if r.RescuePassword.IsSet() {
		body["rescue_password"] = r.RescuePassword.Reveal()
	}
	if r.DisableRamdisk {
		body["disable_ramdisk"] = true
		cl.feature = models.FeatureDisableRamdisk
	}
	switch r.Verb {
	case models.VerbService:
		cl.feature = models.FeatureService
		if r.DisableRamdisk {
			cl.feature = models.FeatureServiceNoRamdisk
		}
	case models.VerbUnhold:
		cl.feature = models.FeatureUnhold
	default:
	}
	if r.Runbook != "" {
		body["runbook"] = r.Runbook
		cl.feature = models.FeatureRunbooks
	}
	return c.act(ctx, cl)
}

// deploySteps gives every step the args and the priority that Ironic insists on.
func deploySteps(steps []models.Step) []map[string]any {
	out := make([]map[string]any, len(steps))
	for i, s := range steps {
		out[i] = map[string]any{"interface": s.Interface, "step": s.Step, "args": argsOf(s)}
		if s.Priority != nil {
			out[i]["priority"] = *s.Priority
		}
	}
	return out
}

// orderedSteps are clean and service steps: their order is that of the list, and a
// priority is refused.
func orderedSteps(steps []models.Step) []map[string]any {
	out := make([]map[string]any, len(steps))
	for i, s := range steps {
		out[i] = map[string]any{"interface": s.Interface, "step": s.Step}
		if len(s.Args) > 0 {
			out[i]["args"] = s.Args
		}
		if s.Order != nil {
			out[i]["order"] = *s.Order
		}
	}
	return out
}

func argsOf(s models.Step) map[string]any {
	if s.Args == nil {
		return map[string]any{}
	}
	return s.Args
}

// SetPower asks for a power state. Accepted, not done.
func (c *Client) SetPower(ctx context.Context, id string, target models.PowerTarget) (requestID string, err error) {
	return c.act(ctx, call{
		op: "set power of node " + models.Printable(id) + " to " + string(target), method: http.MethodPut,
		path: segments("nodes", id, "states", "power"), body: map[string]any{"target": target}, slow: true,
	})
}

// States reads a node's provision and power states alone.
func (c *Client) States(ctx context.Context, id string) (*models.Node, error) {
	n := new(models.Node)
	err := c.get(ctx, call{
		op: "read the states of node " + models.Printable(id), path: segments("nodes", id, "states"),
	}, n)
	if err != nil {
		return nil, err
	}
	return n, nil
}

// BootDevice reads what the node boots from. It reaches into the BMC: never poll it.
func (c *Client) BootDevice(ctx context.Context, id string) (models.BootDevice, error) {
	var d models.BootDevice
	err := c.get(ctx, call{
		op: "read the boot device of node " + models.Printable(id), slow: true,
		path: segments("nodes", id, "management", "boot_device"),
	}, &d)
	return d, err
}

// SupportedBootDevices lists what the node can boot from, as its driver says.
func (c *Client) SupportedBootDevices(ctx context.Context, id string) ([]string, error) {
	var out struct {
		Supported []string `json:"supported_boot_devices"`
	}
	err := c.get(ctx, call{
		op: "list the boot devices of node " + models.Printable(id), slow: true,
		path: segments("nodes", id, "management", "boot_device", "supported"),
	}, &out)
	return out.Supported, err
}

// SetBootDevice sets what the node boots from, next time or from now on.
func (c *Client) SetBootDevice(ctx context.Context, id, device string, persistent bool) (requestID string, err error) {
	return c.act(ctx, call{
		op: "set the boot device of node " + models.Printable(id), method: http.MethodPut, slow: true,
		path: segments("nodes", id, "management", "boot_device"),
		body: map[string]any{"boot_device": device, "persistent": persistent},
	})
}

// SetMaintenance takes the node out of Ironic's hands, with a reason, or gives it back.
func (c *Client) SetMaintenance(ctx context.Context, id string, on bool, reason string) (requestID string, err error) {
	cl := call{op: "end maintenance of node " + models.Printable(id), method: http.MethodDelete, path: segments("nodes", id, "maintenance")}
	if on {
		cl.op, cl.method = "set maintenance of node "+models.Printable(id), http.MethodPut
		body := map[string]any{}
		if reason != "" {
			body["reason"] = reason
		}
		cl.body = body
	}
	return c.act(ctx, cl)
}

// SetTraits replaces all traits of the node.
func (c *Client) SetTraits(ctx context.Context, id string, traits []string) (requestID string, err error) {
	if traits == nil {
		traits = []string{}
	}
	return c.act(ctx, call{
		op: "set the traits of node " + models.Printable(id), method: http.MethodPut,
		path: segments("nodes", id, "traits"), body: map[string]any{"traits": traits},
	})
}

// AddTrait adds one trait, RemoveTrait takes one away.
func (c *Client) AddTrait(ctx context.Context, id, trait string) (requestID string, err error) {
	return c.act(ctx, call{
		op: "add trait " + models.Printable(trait) + " to node " + models.Printable(id), method: http.MethodPut,
		path: segments("nodes", id, "traits", trait),
	})
}

// RemoveTrait takes one trait from the node.
func (c *Client) RemoveTrait(ctx context.Context, id, trait string) (requestID string, err error) {
	return c.act(ctx, call{
		op: "remove trait " + models.Printable(trait) + " from node " + models.Printable(id), method: http.MethodDelete,
		path: segments("nodes", id, "traits", trait),
	})
}

// Traits lists the node's traits.
func (c *Client) Traits(ctx context.Context, id string) ([]string, error) {
	var out struct {
		Traits []string `json:"traits"`
	}
	err := c.get(ctx, call{op: "list the traits of node " + models.Printable(id), path: segments("nodes", id, "traits")}, &out)
	return out.Traits, err
}

// Validate asks every interface of the node whether it could do its work. It makes the
// conductor ask the BMC and the image server: never poll it.
func (c *Client) Validate(ctx context.Context, id string) ([]models.Validation, error) {
	var out map[string]struct {
		Result *bool           `json:"result"`
		Reason json.RawMessage `json:"reason"`
	}
	err := c.get(ctx, call{op: "validate node " + models.Printable(id), path: segments("nodes", id, "validate"), slow: true}, &out)
	if err != nil {
		return nil, err
	}
	list := make([]models.Validation, 0, len(out))
	for name, v := range out {
		list = append(list, models.Validation{Interface: name, Result: v.Result, Reason: textOf(v.Reason)})
	}
	sortBy(list, func(v models.Validation) string { return v.Interface })
	return list, nil
}

func textOf(raw json.RawMessage) string {
	var s string
	if json.Unmarshal(raw, &s) != nil {
		if string(raw) == "null" {
			return ""
		}
		return string(raw)
	}
	return s
}

func queryOf(pairs ...string) func(models.APIVersion) url.Values {
	q := url.Values{}
	for i := 0; i+1 < len(pairs); i += 2 {
		q.Set(pairs[i], pairs[i+1])
	}
	return func(models.APIVersion) url.Values { return q }
}
