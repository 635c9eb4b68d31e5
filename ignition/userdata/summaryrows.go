package userdata

import (
	"fmt"
	"strings"
)

// SummaryRow describes one effect of a configuration as text.
type SummaryRow struct{ Name, Text string }

// Rows returns the summary as text for users, the most important rows first, without secrets and safe to print.
func (s Summary) Rows() []SummaryRow {
	var rows []SummaryRow
	row := func(name, format string, args ...any) {
		rows = append(rows, SummaryRow{Name: name, Text: fmt.Sprintf(format, args...)})
	}
	row("kind", "%s", s.kind())
	for _, u := range s.Users {
		how := "cannot log in"
		if len(u.Logins) > 0 {
			how = strings.Join(u.Logins, "; ")
		}
		row("user", "%s: %s", u.Name, how)
	}
	for _, f := range s.Files {
		size := "elsewhere"
		if f.Size != nil {
			size = SizeText(int64(*f.Size))
		}
		row("file", "%s  %s, %s", f.Path, f.Mode, size)
	}
	for _, u := range s.Units {
		row("unit", "%s%s", u.Name, u.state())
	}
	for _, d := range s.Disks {
		wipes := ""
		if d.Wipes {
			wipes = ", replacing its content"
		}
		row("disk", "%s %s%s", d.Kind, d.Name, wipes)
	}
	if args := s.KernelArguments.ShouldExist; len(args) > 0 {
		row("kernel", "%s", strings.Join(args, " "))
	}
	if args := s.KernelArguments.ShouldNotExist; len(args) > 0 {
		row("kernel", "without %s", strings.Join(args, " "))
	}
	for _, r := range s.Remote {
		hash := "not verified"
		if r.Verified {
			hash = "verified"
		}
		row("remote", "%s (%s, %s)", r.Source, r.Use, hash)
	}
	for _, l := range s.Sizes.Limits {
		fits := ""
		if !l.Fits {
			fits = ": too large"
		}
		row("size", "%s of %s, %s%s", SizeText(int64(l.Used)), SizeText(int64(l.Limit)), l.Name, fits)
	}
	return rows
}

func (s Summary) kind() string {
	layers := make([]string, len(s.Layers))
	for i, k := range s.Layers {
		layers[i] = string(k)
	}
	kind := strings.Join(layers, " containing ")
	if s.Spec != "" {
		kind += ", spec " + s.Spec
	}
	return kind
}

func (u UnitSummary) state() string {
	state := ""
	switch {
	case u.Masked:
		state = " masked"
	case u.Enabled:
		state = " enabled"
	case u.Disabled:
		state = " disabled"
	}
	if len(u.Dropins) > 0 {
		state += ", " + strings.Join(u.Dropins, ", ")
	}
	return state
}

// SizeText formats n bytes in binary units, for example "1.5 KiB".
func SizeText(n int64) string {
	switch {
	case n < 1<<10:
		return fmt.Sprintf("%d B", n)
	case n < 1<<20:
		return fmt.Sprintf("%.1f KiB", float64(n)/(1<<10))
	}
	return fmt.Sprintf("%.1f MiB", float64(n)/(1<<20))
}
