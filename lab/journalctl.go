package lab

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
)

// journalctl holds the options of a journalctl command. The lab supports only the options that ironworks uses.
type journalctl struct {
	follow, noTail bool
	lines          int // the number of last lines to show; negative means all
	after          string
	fields         []string   // fields to show; nil means all
	matches        [][]string // groups of FIELD=VALUE; a line has to match one of the groups
}

// errProgram reports a command other than journalctl.
var errProgram = errors.New("the command is not journalctl")

// parseJournalctl parses a command line. Quotes are the only shell syntax that it supports.
func parseJournalctl(command string) (journalctl, error) {
	words, err := shellWords(command)
	if err != nil {
		return journalctl{}, err
	}
	if len(words) > 2 && words[0] == "sudo" && words[1] == "-n" {
		words = words[2:]
	}
	if len(words) == 0 || words[0] != "journalctl" {
		return journalctl{}, errProgram
	}
	c := journalctl{lines: -1}
	json := false
	var units []string
	for i := 1; i < len(words); i++ {
		name, value, given := strings.Cut(words[i], "=")
		argument := func() string {
			if !given && i+1 < len(words) {
				i++
				return words[i]
			}
			return value
		}
		switch name {
		case "--no-pager", "--quiet", "-q", "--all", "-a", "-b", "--boot":
		case "--follow", "-f":
			c.follow = true
		case "--no-tail":
			c.noTail = true
		case "--output", "-o":
			json = argument() == "json"
		case "--output-fields":
			c.fields = strings.Split(argument(), ",")
		case "--after-cursor":
			c.after = argument()
		case "--unit", "-u":
			units = append(units, argument())
		case "--lines", "-n":
			if c.lines, err = strconv.Atoi(argument()); err != nil || c.lines < 0 {
				return c, errors.New("Failed to parse lines") //nolint:staticcheck // journalctl's message
			}
		case "+":
			c.matches = append(c.matches, nil)
		default:
			if strings.HasPrefix(name, "-") || !given || name == "" {
				return c, fmt.Errorf("journalctl: unrecognized option '%s'", words[i])
			}
			if len(c.matches) == 0 {
				c.matches = append(c.matches, nil)
			}
			last := len(c.matches) - 1
			c.matches[last] = append(c.matches[last], words[i])
		}
	}
	if !json {
		return c, errors.New("journalctl: only -o json is known here")
	}
	if len(units) > 0 && len(c.matches) > 0 {
		return c, errors.New("journalctl: units and matches together are not known here")
	}
	c.matchUnits(units)
	return c, nil
}

// matchUnits adds the matches for the output of the units, and for systemd's messages about them.
func (c *journalctl) matchUnits(units []string) {
	for _, unit := range units {
		if !strings.Contains(unit, ".") {
			unit += ".service"
		}
		c.matches = append(c.matches, []string{"_SYSTEMD_UNIT=" + unit}, []string{"_PID=1", "UNIT=" + unit})
	}
}

// shellWords splits a command line at blanks that are not in single or double quotes. It rejects other shell syntax.
func shellWords(command string) ([]string, error) {
	var (
		words  []string
		word   strings.Builder
		inWord bool
		quote  rune
	)
	for _, r := range command {
		switch {
		case quote != 0 && r == quote:
			quote = 0
		case quote != 0:
			word.WriteRune(r)
		case r == '\'' || r == '"':
			quote, inWord = r, true
		case r == ' ' || r == '\t':
			if inWord {
				words = append(words, word.String())
				word.Reset()
				inWord = false
			}
		case strings.ContainsRune("\\$`|&;<>()*?\n", r):
			return nil, errProgram
		default:
			word.WriteRune(r)
			inWord = true
		}
	}
	if quote != 0 {
		return nil, errors.New("unexpected EOF while looking for matching quote")
	}
	if inWord {
		words = append(words, word.String())
	}
	return words, nil
}

// shows reports whether the options select a line.
func (c *journalctl) shows(r *record) bool {
	if len(c.matches) == 0 {
		return true
	}
	fields := r.fields()
	return slices.ContainsFunc(c.matches, func(group []string) bool {
		// If a group contains several values of a field, one of them has to match.
		fits := map[string]bool{}
		for _, match := range group {
			name, value, _ := strings.Cut(match, "=")
			fits[name] = fits[name] || fields[name] == value
		}
		for _, fit := range fits {
			if !fit {
				return false
			}
		}
		return len(fits) > 0
	})
}

// run prints the selected lines of the current boot, until ctx is done if it follows the journal.
func (c *journalctl) run(ctx context.Context, j *journal, out io.Writer) error {
	boot, after := j.bootID(), c.after
	last := c.lines
	if c.follow && last < 0 && !c.noTail && after == "" {
		last = 10
	}
	for {
		all, changed := j.since(boot, after)
		var lines []record
		for i := range all {
			after = all[i].cursor
			if c.shows(&all[i]) {
				lines = append(lines, all[i])
			}
		}
		if last >= 0 && len(lines) > last {
			lines = lines[len(lines)-last:]
		}
		last = -1
		for i := range lines {
			if _, err := out.Write(lines[i].export(c.fields)); err != nil {
				return err
			}
		}
		if !c.follow {
			return nil
		}
		select {
		case <-ctx.Done():
			return nil
		case <-changed:
		}
	}
}
