package conductor

import (
	"cmp"
	"context"
	"fmt"
	"strings"
	"time"

	"ironworks/lab/db"
)

// step describes an out-of-band step of an interface.
type step struct {
	name string
	// These fields are nil if the interface does not offer the step in the operation.
	deploy, clean, service *offer
	do                     func(ctx context.Context, t *task, args db.Dict) (string, error)
}

// offer describes how an interface offers a step in one kind of operation: the step's priority, its arguments,
// whether it can be aborted, and whether it needs the ramdisk.
type offer struct {
	priority  int
	abortable bool
	ramdisk   bool
	args      db.Dict
}

func (s step) of(kind stepKind) *offer {
	switch kind {
	case cleanSteps:
		return s.clean
	case serviceSteps:
		return s.service
	default:
		return s.deploy
	}
}

// noEffect implements a step that has no effect in the lab.
func noEffect(context.Context, *task, db.Dict) (string, error) { return "", nil }

func required(name, description string) db.Dict {
	return db.Dict{name: map[string]any{"description": description, "required": true}}
}

// outOfBand lists the steps of interfaces other than deploy by kind and name, sorted by name.
var outOfBand = map[string][]step{
	"vendor/fake": {
		{name: "log_passthrough", clean: &offer{priority: 1, ramdisk: true}, service: &offer{}, do: noEffect},
		{name: "trigger_servicewait", service: &offer{ramdisk: true}, do: func(context.Context, *task, db.Dict) (string, error) { return serviceWait, nil }},
	},
	"bios/fake": {
		{
			name: "apply_configuration", do: applyFakeBIOS,
			clean: &offer{ramdisk: true, args: required("settings", "List of BIOS settings, each item needs to contain a dictionary with name/value pairs")},
		},
		{name: "cache_bios_settings", clean: &offer{ramdisk: true}, do: noEffect},
		{name: "factory_reset", clean: &offer{ramdisk: true}, do: func(_ context.Context, t *task, _ db.Dict) (string, error) {
			return "", t.c.tables.SetBIOS(t.node.UUID, nil)
		}},
	},
}

// interfaceSteps returns the out-of-band steps of the named interface of the given kind.
func interfaceSteps(kind, name string) []step {
	switch key := kind + "/" + name; key {
	case "bios/redfish":
		return redfishBIOSSteps()
	case "firmware/redfish":
		return redfishFirmwareSteps()
	case "raid/redfish":
		return hardwareRAIDSteps()
	default:
		return outOfBand[key]
	}
}

// applyFakeBIOS stores the settings that were given to the fake BIOS interface.
func applyFakeBIOS(_ context.Context, t *task, args db.Dict) (string, error) {
	return "", t.storeBIOS(dictsOf(args["settings"]), nil)
}

// noSuchStep returns Python's error for a step that the interface does not implement as a method.
func noSuchStep(kind, name string, step db.Dict) error {
	return fmt.Errorf("'%s' object has no attribute '%s'", interfaceClass(kind, name), step.Text("step"))
}

// interfaceClass returns the name of the Python class that implements the named interface in Ironic.
func interfaceClass(kind, name string) string {
	if kind == "vendor" && name == "fake" {
		return "FakeVendorB"
	}
	if kind == "deploy" && name == "direct" {
		return "AgentDeploy"
	}
	last := cmp.Or(map[string]string{"bios": "BIOS", "raid": "RAID"}[kind], strings.ToUpper(kind[:1])+kind[1:])
	// The class of no-vendor is NoVendor, not NoVendorVendor, because the name already contains the kind.
	parts := strings.Split(strings.TrimSuffix(name, "-"+kind), "-")
	for i, part := range parts {
		parts[i] = strings.ToUpper(part[:1]) + part[1:]
	}
	return strings.Join(parts, "") + last
}

// declaredSteps returns the steps that one of the node's interfaces declares for the given kind of operation. The
// name parameter is the kind of the interface, such as "bios".
func declaredSteps(d *driver, name string, kind stepKind) []db.Dict {
	return describe(name, interfaceSteps(name, d.names[name]), kind)
}

func describe(name string, steps []step, kind stepKind) []db.Dict {
	var all []db.Dict
	for _, s := range steps {
		o := s.of(kind)
		if o == nil {
			continue
		}
		step := db.Dict{"step": s.name, "priority": o.priority, "abortable": o.abortable, "argsinfo": nil, "interface": name}
		if o.args != nil {
			step["argsinfo"] = map[string]any(o.args.Clone())
		}
		if kind != deploySteps {
			step["requires_ramdisk"] = o.ramdisk
		}
		all = append(all, step)
	}
	return all
}

// longestWait is [conductor]max_conductor_wait_step_seconds.
const longestWait = 30

// reservedStep runs a step that Ironic itself provides. If over is true, the next step must not start now.
func (t *task) reservedStep(ctx context.Context, step db.Dict) (over bool, err error) {
	switch step.Text("step") {
	case "power_on":
		return false, t.setPower(ctx, powerOn)
	case "power_off":
		return false, t.setPower(ctx, powerOff)
	case "reboot":
		return false, t.setPower(ctx, reboot)
	case "hold":
		return true, t.process(onHold)
	default:
		args, _ := dictOf(step["args"])
		if err := t.process(onWait); err != nil {
			return true, err
		}
		if _, given := args["seconds"]; !given {
			return true, nil
		}
		t.c.sleep(ctx, time.Duration(min(toInt(args["seconds"]), longestWait))*time.Second)
		return true, t.process(onResume)
	}
}
