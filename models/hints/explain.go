package hints

import (
	"errors"
	"fmt"
	"slices"
	"strings"
)

// Explanation says which disk the agent selects, and explains the outcome for each disk.
type Explanation struct {
	// Picks is the name of the selected disk, or "" if none is selected; Error then gives the reason.
	Picks string `json:"picks"`
	Error string `json:"error,omitempty"`
	// Problems lists the problems that can be found in the hints without knowing the disks.
	Problems []Problem   `json:"problems,omitempty"`
	Disks    []DiskCheck `json:"disks"`
}

// DiskCheck describes how the search treats one disk.
type DiskCheck struct {
	Disk   Disk `json:"disk"`
	Picked bool `json:"picked"`
	// Matches means that the disk matches all hints and is not skipped. If there are hints, the agent selects the
	// first matching disk.
	Matches bool `json:"matches"`
	// Skipped means that skip_block_devices excludes the disk.
	Skipped bool `json:"skipped,omitempty"`
	// Why explains the result in words.
	Why   string  `json:"why"`
	Hints []Check `json:"hints,omitempty"`
}

// Check is the result of comparing one hint with one disk.
type Check struct {
	Hint    Hint   `json:"hint"`
	Wants   string `json:"wants"`
	Has     string `json:"has"`
	Matches bool   `json:"matches"`
	// Why explains a mismatch in words.
	Why string `json:"why,omitempty"`
}

// Matching returns the disks that the search may select, in the order of the inventory. If there are hints, the agent
// selects the first one.
func (e *Explanation) Matching() []Disk {
	var disks []Disk
	for _, d := range e.Disks {
		if d.Matches {
			disks = append(disks, d.Disk)
		}
	}
	return disks
}

// Explain performs the search and explains the result for every disk.
func (s Search) Explain(disks []Disk) Explanation {
	e := Explanation{Problems: s.Hints.Lint(s.Generation), Disks: make([]DiskCheck, len(disks))}
	name, err := s.pick(disks)
	if err != nil {
		e.Error = err.Full()
	}
	e.Picks = name
	skipped, skipErr := s.skipped(disks)
	picked := false
	for i := range disks {
		c := &e.Disks[i]
		c.Disk = disks[i]
		_, c.Skipped = skipped[disks[i].Name]
		c.Hints = s.checks(&disks[i])
		c.Matches = err == nil && skipErr == nil && !c.Skipped && s.fitsAll(c)
		// If several disks have this name, the first one is picked.
		c.Picked = err == nil && !picked && c.Matches && disks[i].Name == name
		picked = picked || c.Picked
		c.Why = s.why(c, name)
	}
	return e
}

func (s Search) fitsAll(c *DiskCheck) bool {
	if !s.Hints.IsSet() {
		return c.Disk.Size >= minRootDisk
	}
	return !slices.ContainsFunc(c.Hints, func(h Check) bool { return !h.Matches })
}

// checks compares the disk with every hint. Unlike the agent, it does not stop at the first mismatch.
func (s Search) checks(d *Disk) []Check {
	given, _ := s.Hints.value.(*PythonDict)
	if given == nil {
		return nil
	}
	r := newReader(s.Generation, true)
	checks := make([]Check, len(given.keys))
	for i, key := range given.keys {
		c := &checks[i]
		*c = Check{Hint: Hint(key), Wants: PythonStr(given.values[key]), Has: d.Attribute(Hint(key))}
		one := &PythonDict{}
		one.Set(key, given.values[key])
		hints, err := r.parse(one)
		if err == nil {
			c.Matches, err = r.fitAll(hints, d)
		}
		switch {
		case err != nil:
			c.Why = "cannot be compared: " + err.Text
		case !c.Matches:
			c.Why = r.whyNot(hints[0], d, c.Has)
		}
	}
	return checks
}

// whyNot explains why the hint does not match the disk. If possible, it suggests a hint that would match.
func (r reader) whyNot(h parsedHint, d *Disk, has string) string {
	op, wanted, _ := strings.Cut(h.spec, " ")
	equality := op == "s==" || op == "=="
	switch {
	case h.name == Rotational:
		if d.Rotational == nil {
			return "not reported by the ramdisk"
		}
		if *d.Rotational {
			return "is rotational"
		}
		return "is not rotational"
	case h.name == Size && equality:
		return fmt.Sprintf("has %s GiB, and equality is exact: use >= with a smaller number", gibText(d))
	case h.name == Size:
		return fmt.Sprintf("has %s GiB", gibText(d))
	case has == "":
		return "not reported by the ramdisk; compared as the text \"none\""
	case equality && r.contains(d, h.name, wanted):
		return fmt.Sprintf("has %q: to match a part of the value, use <in>", has)
	}
	return fmt.Sprintf("has %q", has)
}

func (r reader) contains(d *Disk, name Hint, quoted string) bool {
	return slices.ContainsFunc(d.attributes(name), func(has string) bool {
		text, err := r.normalize(has, r.empty(name))
		return err == nil && strings.Contains(text, quoted)
	})
}

func gibText(d *Disk) string {
	return strings.TrimSuffix(fmt.Sprintf("%.2f", d.GiB()), ".00")
}

func (s Search) why(c *DiskCheck, picked string) string {
	var wrong []string
	for _, h := range c.Hints {
		if !h.Matches {
			wrong = append(wrong, fmt.Sprintf("%s %s: %s", h.Hint, h.Wants, h.Why))
		}
	}
	switch {
	case c.Picked && s.Hints.IsSet():
		return "all hints match"
	case c.Picked:
		return "no hints: the smallest disk of at least 4 GiB"
	case c.Skipped:
		return "skipped by skip_block_devices"
	case len(wrong) > 0:
		return strings.Join(wrong, "; ")
	case !s.Hints.IsSet() && c.Disk.Size < minRootDisk:
		return "smaller than 4 GiB"
	case !c.Matches:
		return "the agent fails before it picks a disk"
	case !s.Hints.IsSet():
		return fmt.Sprintf("no hints: the agent picks the smallest, %s", picked)
	}
	return fmt.Sprintf("also matches, but the agent picks the first match, %s", picked)
}

// Disagree describes the disagreement if Ironic accepts the hints but the agent rejects them, or vice versa. It
// returns "" if both agree.
func (h Hints) Disagree(by Generation) string {
	ironic, agent := h.Validate(by), h.Parse(by)
	var e *Error
	switch {
	case ironic == nil && errors.As(agent, &e):
		return "Ironic accepts the hints, but the agent fails: " + e.Text
	case agent == nil && errors.As(ironic, &e):
		return "the agent accepts the hints, but Ironic rejects them: " + e.Text
	}
	return ""
}

// Verdict describes in one clause which disk is selected. clear means that no other disk matches.
func (s Search) Verdict(e *Explanation) (text string, clear bool) {
	matching := len(e.Matching())
	switch {
	case e.Error != "":
		return "the agent picks no disk: " + e.Error, false
	case matching > 1 && s.Hints.IsSet():
		return fmt.Sprintf("%d disks match; the agent picks the first, %s", matching, e.Picks), false
	case matching > 1:
		return fmt.Sprintf("the agent picks the smallest, %s, of %d disks ≥ 4 GiB", e.Picks, matching), false
	case s.Hints.IsSet():
		return "the hints match one disk; the agent picks " + e.Picks, true
	}
	return "the agent picks the only disk ≥ 4 GiB, " + e.Picks, true
}
