package image

import (
	"fmt"
	"strings"
	"unicode"
)

// KargsEdit is a change of kernel arguments, as `coreos-installer iso kargs`
// makes it: first everything is deleted, then appended, then replaced.
type KargsEdit struct {
	// Reset begins with the arguments that the image was made with.
	Reset bool
	// Delete takes arguments out, each wherever it stands exactly so.
	Delete []string
	// Append puts arguments at the end; one may be several, with spaces.
	Append []string
	// Replace changes values: KEY=OLD=NEW.
	Replace []string
}

// IsZero tells whether it changes nothing.
func (e KargsEdit) IsZero() bool {
	return !e.Reset && len(e.Delete)+len(e.Append)+len(e.Replace) == 0
}

// KargError says why one of the arguments of an edit is refused.
type KargError struct {
	// Arg is the argument, Why one clause.
	Arg, Why string
}

func (e *KargError) Error() string { return fmt.Sprintf("kernel argument %q: %s", e.Arg, e.Why) }

// Apply gives the arguments after the edit, and what of Delete and Replace met
// nothing: coreos-installer is silent about those.
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
		changed := strings.ReplaceAll(kargs, from, to)
		if !strings.Contains(kargs, from) {
			unmatched = append(unmatched, arg)
		}
		kargs = changed
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

// checkKarg is stricter than coreos-installer: the arguments become a line in
// the configuration of a boot loader, and a second line would be a command.
func checkKarg(arg string) error {
	if strings.TrimSpace(arg) == "" {
		return &KargError{Arg: arg, Why: "empty"}
	}
	for _, c := range arg {
		if unicode.IsControl(c) || c == unicode.ReplacementChar {
			return &KargError{Arg: arg, Why: "control characters are not allowed"}
		}
	}
	return nil
}
