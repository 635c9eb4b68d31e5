package conductor

import (
	"context"
	"net/http"
	"slices"

	"ironworks/lab/api"
	"ironworks/lab/db"
	"ironworks/python"
)

// Indicators returns the node's indicators. Ironic validates the management interface before its other calls, but not
// before this one (get_supported_indicators in ironic/conductor/manager.py).
func (c *Conductor) Indicators(ctx context.Context, uuid string) (indicators []api.Indicator, err error) {
	err = c.withTask(ctx, uuid, locking{shared: true}, func(ctx context.Context, t *task) error {
		indicators, err = t.driver.management.indicators(ctx, t)
		return err
	})
	return indicators, err
}

// IndicatorState returns the state of the named indicator in the given component.
func (c *Conductor) IndicatorState(ctx context.Context, uuid, component, name string) (state string, err error) {
	err = c.managing(ctx, uuid, locking{}, func(ctx context.Context, t *task) error {
		state, err = t.driver.management.indicatorState(ctx, t, component, name)
		return err
	})
	return state, err
}

// SetIndicatorState sets the state of the named indicator in the given component.
func (c *Conductor) SetIndicatorState(ctx context.Context, uuid, component, name, state string) error {
	return c.managing(ctx, uuid, locking{}, func(ctx context.Context, t *task) error {
		return t.driver.management.setIndicatorState(ctx, t, component, name, state)
	})
}

func (noManagement) indicators(_ context.Context, t *task) ([]api.Indicator, error) { //nolint:unparam // required by the interface
	return nil, unsupported(t.node.Driver, "get_supported_indicators")
}

func (noManagement) indicatorState(_ context.Context, t *task, _, _ string) (string, error) {
	return "", unsupported(t.node.Driver, "get_indicator_state")
}

func (noManagement) setIndicatorState(_ context.Context, t *task, _, _, _ string) error {
	return unsupported(t.node.Driver, "set_indicator_state")
}

// indicators returns the indicators of ironic/drivers/modules/fake.py. That driver provides no function to set them.
func (fakeManagement) indicators(context.Context, *task) ([]api.Indicator, error) {
	return []api.Indicator{
		{Name: "led-0", Component: "chassis", ReadOnly: true, States: []string{"off", "on"}},
		{Name: "led", Component: "system", States: []string{"blinking", "off", "on"}},
	}, nil
}

func (f fakeManagement) indicatorState(ctx context.Context, t *task, component, name string) (string, error) {
	indicators, err := f.indicators(ctx, t)
	if err != nil {
		return "", err
	}
	if !slices.ContainsFunc(indicators, func(i api.Indicator) bool { return i.Component == component }) {
		return "", invalid("Invalid component %s specified.", component)
	}
	if !slices.ContainsFunc(indicators, func(i api.Indicator) bool { return i.Component == component && i.Name == name }) {
		return "", invalid("Invalid indicator %s specified.", name)
	}
	return "on", nil
}

// indicators returns an empty list, because the lab's machines have no LEDs.
func (redfishManagement) indicators(ctx context.Context, t *task) ([]api.Indicator, error) {
	_, err := t.systemOf(ctx)
	return nil, err
}

// indicatorState fails with a KeyError for the system's LED, as in Ironic. Ironic looks up the LED's missing state in
// a table (ironic/drivers/modules/redfish/management.py).
func (redfishManagement) indicatorState(ctx context.Context, t *task, component, name string) (string, error) {
	system, err := t.systemOf(ctx)
	switch {
	case err != nil:
		return "", err
	case component == "system" && name == system.UUID:
		return "", failure("KeyError", "None")
	default:
		return "", unknownIndicator(t.node, component, name)
	}
}

// redfishLEDs maps Ironic's indicator states to Redfish's LED states.
var redfishLEDs = map[string]string{"on": "Lit", "off": "Off", "blinking": "Blinking", "unknown": "Unknown"}

func (redfishManagement) setIndicatorState(ctx context.Context, t *task, component, name, state string) error {
	system, err := t.systemOf(ctx)
	if err != nil {
		return err
	}
	if component != "system" || name != system.UUID {
		return unknownIndicator(t.node, component, name)
	}
	led, ok := redfishLEDs[state]
	if !ok {
		return failure("KeyError", "%s", python.Repr(state))
	}
	_, err = system.bmc.do(ctx, http.MethodPatch, system.path, map[string]any{"IndicatorLED": led})
	return redfishFailure(err, "Redfish set %s indicator %s state %s failed for node %s. Error: %s", component, name, state, t.node.UUID)
}

func unknownIndicator(node *db.Node, component, name string) error {
	return missing("Unknown indicator %s for component %s of node %s", name, component, node.UUID)
}
