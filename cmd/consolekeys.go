package cmd

import (
	"errors"

	"ironworks/config"
	"ironworks/ui/action"
)

// keymap returns the actions of the console with the keys of the configuration file, or all its problems with their
// lines.
func keymap(hands config.Hands) (*action.Keymap, error) {
	bindings := make([]action.Binding, 0, len(hands.Keys))
	at := make([]config.Position, 0, len(hands.Keys))
	for _, k := range hands.Keys {
		bindings, at = append(bindings, action.Binding{ID: action.ID(k.Action), Keys: k.Keys}), append(at, k.At)
	}
	if len(bindings) == 0 {
		return nil, nil //nolint:nilnil // nil has the built-in keys
	}
	keys, problems := action.Bind(bindings)
	errs := make([]error, len(problems))
	for i, p := range problems {
		errs[i] = at[p.Binding].Fault(p.Text, p.Hint)
	}
	return keys, errors.Join(errs...)
}

// ownHands reads the settings of the console without the contexts, for labs and recordings.
func (a *app) ownHands() (config.Hands, error) {
	opts := a.options
	opts.Flags = a.flags
	return config.LoadHands(opts)
}
