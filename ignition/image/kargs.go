package image

import (
	"fmt"
	"strings"
	"unicode"
)

// KargsEdit is a change of kernel arguments with the semantics of `coreos-installer iso kargs
// modify`: delete, then append, then replace.
type KargsEdit struct {
	// Reset discards the current arguments, and starts from the image's default ones.
	Reset bool
	// Delete removes all exact matches of each argument.
	Delete []string
	// Append adds arguments at the end. One element may have several, separated by spaces.
	Append []string
	// Replace changes the values of arguments. Each element has the form KEY=OLD=NEW.
	Replace []string
}

// IsZero reports whether the edit is empty.
func (e KargsEdit) IsZero() bool {
	return !e.Reset && len(e.Delete)+len(e.Append)+len(e.Replace) == 0
}

// KargError reports an invalid argument of an edit.
type KargError struct {
	// Arg is the argument. Why is the reason, in a clause.
	Arg, Why string
}

func (e *KargError) Error() string { return fmt.Sprintf("kernel argument %q: %s", e.Arg, e.Why) }

// Apply returns the arguments after the edit, and the elements of Delete and Replace without a
// match, which coreos-installer ignores silently.
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

// checkKarg is stricter than coreos-installer: the arguments become a line in the boot loader's
// configuration, where a second line would be a command.
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
