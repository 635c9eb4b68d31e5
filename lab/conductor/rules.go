package conductor

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"

	"ironworks/lab/api"
	"ironworks/lab/db"
	"ironworks/models/hints"
	"ironworks/rules"
)

// phaseMain is the phase of the rules that run after the hooks and before the inventory is stored.
const phaseMain = "main"

// applyRules runs the inspection rules in the same way as ironic/common/inspection_rules/engine.py.
func (t *task) applyRules(inventory, pluginData db.Dict) error {
	list, err := t.rules()
	if err != nil || len(list) == 0 {
		return err
	}
	ports := t.ports()
	before, err := t.ruleSubject(ports, inventory, pluginData)
	if err != nil {
		return err
	}
	result := rules.Run(list, before, rules.MaskAlways) // the default of [inspection_rules]mask_secrets
	if err := t.saveSubject(before, result.After, ports); err != nil {
		return err
	}
	clear(pluginData)
	changed, err := plainObject(result.After.PluginData)
	maps.Copy(pluginData, changed)
	switch {
	case err != nil:
		return err
	case result.Failure != nil:
		return failure(result.Failure.Class, "%s", result.Failure.Text)
	case result.Unstorable != "":
		return errors.New("(builtins.TypeError) Object of type ShallowMaskList is not JSON serializable")
	}
	return nil
}

// rules returns the rules of the main phase, in the order of their creation.
func (t *task) rules() ([]*rules.Rule, error) {
	var list []*rules.Rule
	for _, r := range t.c.tables.InspectionRules.List(func(r *db.InspectionRule) bool { return r.Phase == phaseMain }) {
		raw, err := json.Marshal(map[string]any{
			"uuid": r.UUID, "priority": r.Priority, "sensitive": r.Sensitive, "phase": r.Phase, "conditions": r.Conditions, "actions": r.Actions,
		})
		if err != nil {
			return nil, fmt.Errorf("reading rule %s: %w", r.UUID, err)
		}
		rule, err := rules.Decode(raw)
		if err != nil {
			return nil, fmt.Errorf("reading rule %s: %w", r.UUID, err)
		}
		list = append(list, rule)
	}
	return list, nil
}

func (t *task) ruleSubject(ports []*db.Port, inventory, pluginData db.Dict) (s rules.Subject, err error) {
	s.Traits = slices.Clone(t.node.Traits)
	if s.Node, err = pythonObject(api.NodeObject(t.node)); err != nil {
		return s, err
	}
	for _, p := range ports {
		port, err := pythonObject(api.PortObject(p))
		if err != nil {
			return s, err
		}
		s.Ports = append(s.Ports, port)
	}
	if s.Inventory, err = pythonObject(inventory); err != nil {
		return s, err
	}
	s.PluginData, err = pythonObject(pluginData)
	return s, err
}

// saveSubject stores the changes that rules have made to the node and its ports.
func (t *task) saveSubject(before, after rules.Subject, ports []*db.Port) error {
	changed, err := changedFields(before.Node, after.Node)
	if err != nil {
		return err
	}
	for name, value := range changed {
		api.SetNodeField(t.node, name, value)
	}
	t.node.Traits = after.Traits
	if err := t.trySave(); err != nil {
		return err
	}
	for i, p := range ports {
		changed, err := changedFields(before.Ports[i], after.Ports[i])
		if err != nil {
			return err
		}
		if len(changed) == 0 {
			continue
		}
		if _, err := t.c.tables.Ports.Update(p.UUID, func(p *db.Port) error {
			for name, value := range changed {
				api.SetPortField(p, name, value)
			}
			return nil
		}); err != nil {
			return fmt.Errorf("saving port %s: %w", p.UUID, err)
		}
	}
	return nil
}

// changedFields returns the fields that differ between before and after, with their new values.
func changedFields(before, after *hints.PythonDict) (map[string]any, error) {
	changed := &hints.PythonDict{}
	for _, name := range after.Keys() {
		if !hints.PythonSame(before.Get(name), after.Get(name)) {
			changed.Set(name, after.Get(name))
		}
	}
	return plainObject(changed)
}

// pythonObject converts a JSON object to a Python dict.
func pythonObject(object map[string]any) (*hints.PythonDict, error) {
	raw, err := json.Marshal(object)
	if err != nil {
		return nil, fmt.Errorf("reading an object for inspection rules: %w", err)
	}
	value, err := hints.DecodePython(raw)
	d, _ := value.(*hints.PythonDict)
	if d == nil {
		d = &hints.PythonDict{}
	}
	return d, err
}

// plainObject converts a Python dict to the form of the objects in the database.
func plainObject(d *hints.PythonDict) (map[string]any, error) {
	raw, err := json.Marshal(d)
	if err != nil {
		return nil, fmt.Errorf("writing an object of inspection rules: %w", err)
	}
	decoder := json.NewDecoder(bytes.NewReader(raw))
	decoder.UseNumber()
	object := map[string]any{}
	if err := decoder.Decode(&object); err != nil {
		return nil, fmt.Errorf("writing an object of inspection rules: %w", err)
	}
	return object, nil
}
