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
		indicators, err = t.indicators(ctx)
		return err
	})
	return indicators, err
}

// IndicatorState returns the state of the named indicator in the given component.
func (c *Conductor) IndicatorState(ctx context.Context, uuid, component, name string) (state string, err error) {
	err = c.managing(ctx, uuid, locking{}, func(ctx context.Context, t *task) error {
		state, err = t.indicatorState(ctx, component, name)
		return err
	})
	return state, err
}

// SetIndicatorState sets the state of the named indicator in the given component.
func (c *Conductor) SetIndicatorState(ctx context.Context, uuid, component, name, state string) error {
	return c.managing(ctx, uuid, locking{}, func(ctx context.Context, t *task) error {
		return t.setIndicatorState(ctx, component, name, state)
	})
}

// indicators returns the indicators. Those of the fake interface are from ironic/drivers/modules/fake.py; it provides
// no function to set them. The lab's machines have no LEDs.
func (t *task) indicators(ctx context.Context) ([]api.Indicator, error) {
	if t.driver.names["management"] == "fake" {
		return []api.Indicator{
			{Name: "led-0", Component: "chassis", ReadOnly: true, States: []string{"off", "on"}},
			{Name: "led", Component: "system", States: []string{"blinking", "off", "on"}},
		}, nil
	}
	_, err := t.managedSystem(ctx, "get_supported_indicators")
	return nil, err
}

// indicatorState fails with a KeyError for the LED of a Redfish system, as in Ironic. Ironic looks up the LED's
// missing state in a table (ironic/drivers/modules/redfish/management.py).
func (t *task) indicatorState(ctx context.Context, component, name string) (string, error) {
	if t.driver.names["management"] == "fake" {
		indicators, _ := t.indicators(ctx)
		in := slices.DeleteFunc(indicators, func(i api.Indicator) bool { return i.Component != component })
		switch {
		case len(in) == 0:
			return "", invalid("Invalid component %s specified.", component)
		case !slices.ContainsFunc(in, func(i api.Indicator) bool { return i.Name == name }):
			return "", invalid("Invalid indicator %s specified.", name)
		default:
			return "on", nil
		}
	}
	system, err := t.managedSystem(ctx, "get_indicator_state")
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

func (t *task) setIndicatorState(ctx context.Context, component, name, state string) error {
	system, err := t.managedSystem(ctx, "set_indicator_state")
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
	_, err = system.BMC.Do(ctx, http.MethodPatch, system.Path, map[string]any{"IndicatorLED": led})
	return redfishFailure(err, "Redfish set %s indicator %s state %s failed for node %s. Error: %s", component, name, state, t.node.UUID)
}

func unknownIndicator(node *db.Node, component, name string) error {
	return missing("Unknown indicator %s for component %s of node %s", name, component, node.UUID)
}
