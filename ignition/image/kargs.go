package image

import (
	"fmt"
	"strings"
	"unicode"
)

// KargsEdit describes a change to kernel arguments. It has the same semantics as `coreos-installer iso kargs modify`:
// it first deletes, then appends and finally replaces arguments.
type KargsEdit struct {
	// Reset discards the current arguments and starts with the image's default arguments.
	Reset bool
	// Delete lists arguments to remove. An element removes only exact matches.
	Delete []string
	// Append lists arguments to add at the end. One element may contain several arguments, separated by spaces.
	Append []string
	// Replace lists arguments whose values are to be changed. Each element has the form KEY=OLD=NEW.
	Replace []string
}

// IsZero reports whether the edit changes nothing.
func (e KargsEdit) IsZero() bool {
	return !e.Reset && len(e.Delete)+len(e.Append)+len(e.Replace) == 0
}

// KargError reports that an edit contains an invalid argument.
type KargError struct {
	// Arg is the invalid argument. Why is a short phrase that gives the reason.
	Arg, Why string
}

func (e *KargError) Error() string { return fmt.Sprintf("kernel argument %q: %s", e.Arg, e.Why) }

// Apply returns the arguments after the edit. It also returns the elements of Delete and Replace that did not match
// any argument. coreos-installer silently ignores such elements.
func (e KargsEdit) Apply(k Kargs) (kargs string, unmatched []string, err error) {
	kargs = k.Current
	if e.Reset {
		kargs = k.Default
	}
	for _, args := range [][]string{e.Delete, e.Append, e.Replace} {
		for _, arg := range args {
			if err := checkKarg(arg); err != nil {
				return "", nil, err
			}
		}
	}
	kargs = " " + kargs + " "
	swap := func(arg, from, to string) {
		if !strings.Contains(kargs, from) {
			unmatched = append(unmatched, arg)
		}
		kargs = strings.ReplaceAll(kargs, from, to)
	}
	for _, arg := range e.Delete {
		swap(arg, " "+strings.TrimSpace(arg)+" ", " ")
	}
	for _, arg := range e.Append {
		kargs += strings.TrimSpace(arg) + " "
	}
	for _, arg := range e.Replace {
		parts := strings.Split(arg, "=")
		if len(parts) != 3 || parts[0] == "" || parts[1] == "" || parts[2] == "" {
			return "", nil, &KargError{Arg: arg, Why: "use KEY=OLD=NEW"}
		}
		swap(arg, " "+parts[0]+"="+parts[1]+" ", " "+parts[0]+"="+parts[2]+" ")
	}
	return strings.TrimSpace(kargs), unmatched, nil
}

// checkKarg checks that arg is not empty and contains no control characters. It is stricter than coreos-installer,
// because the arguments become a line in the boot loader's configuration, where a second line would be a command.
func checkKarg(arg string) error {
	if strings.TrimSpace(arg) == "" {
		return &KargError{Arg: arg, Why: "empty"}
	}
	if strings.ContainsFunc(arg, func(c rune) bool { return unicode.IsControl(c) || c == unicode.ReplacementChar }) {
		return &KargError{Arg: arg, Why: "control characters are not allowed"}
	}
	return nil
}
