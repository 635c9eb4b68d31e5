package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"ironworks/test/program"
	"ironworks/test/terminal"
)

// patience limits the wait for one screen. The lab's slow machine needs most of a minute before it begins to install.
const patience = 2 * time.Minute

// shot is a picture: the name of its file without the extension, and its content.
type shot struct {
	name string
	svg  []byte
}

type album []shot

// tour is a run of the console, from start to end, during which visit takes pictures.
type tour struct {
	width, height int
	visit         func(*camera)
	// develop makes a picture from the recording of the whole tour. It may be nil.
	develop func(file string) (shot, error)
}

// camera takes pictures of a console. After the first error, which it keeps, its methods do nothing.
type camera struct {
	ctx    context.Context //nolint:containedctx // it lives as long as the tour's call
	screen *terminal.Screen
	album  *album
	err    error
}

// open starts the console on the lab. dir is the home directory of the program.
func (t tour) open(ctx context.Context, binary, dir string) (*terminal.Screen, error) {
	command := exec.Command(binary, "--lab", "--record", filepath.Join(dir, recordingName)) //nolint:noctx // the screen ends it
	command.Env = program.Env("HOME="+dir, "TMPDIR="+dir, "PATH="+os.Getenv("PATH"), "COLORTERM=truecolor", "TZ=UTC")
	return terminal.Start(ctx, terminal.Options{Command: command, Width: t.width, Height: t.height, Modern: true})
}

// shoot runs the tour and adds its pictures to the album.
func (t tour) shoot(ctx context.Context, binary string, album *album) (err error) {
	dir, err := os.MkdirTemp("", "ironworks-screens-")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	if err := writeKey(dir); err != nil {
		return err
	}
	screen, err := t.open(ctx, binary, dir)
	if err != nil {
		return err
	}
	defer screen.Close()
	c := &camera{ctx: ctx, screen: screen, album: album}
	if t.visit(c); c.err != nil {
		return c.err
	}
	screen.Type("q")
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	if code, err := screen.Wait(ctx); err != nil || code != 0 {
		return fmt.Errorf("leaving the console: exit code %d: %w\n%s", code, err, screen.Describe())
	}
	if t.develop != nil {
		made, err := t.develop(filepath.Join(dir, recordingName))
		if err != nil {
			return err
		}
		*album = append(*album, made)
	}
	return nil
}

// recordingName is the name of the file that contains the recording of a tour.
const recordingName = "tour.cast"

// someKey is a public key whose private key is not known.
const someKey = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIOQSL3u/hYXsLnW2oHuVZ6vFE5pm8z4DGgT1TDJZnfen you@laptop\n"

// writeKey writes a public SSH key to a home directory, because most users have one there. Ramdisks accept this key.
func writeKey(home string) error {
	dir := filepath.Join(home, ".ssh")
	if err := os.Mkdir(dir, 0o700); err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(dir, "id_ed25519.pub"), []byte(someKey), 0o600)
}

// press types keys.
func (c *camera) press(keys ...string) {
	if c.err == nil {
		c.screen.Type(keys...)
	}
}

// until waits for a screen for which wanted returns true, and returns the screen's cells. The argument what names this
// screen in errors.
func (c *camera) until(what string, wanted func(lines []string) bool) [][]terminal.Cell {
	ctx, cancel := context.WithTimeout(c.ctx, patience)
	defer cancel()
	for c.err == nil {
		before := c.screen.Bytes()
		if err := c.screen.WaitFor(ctx, func(text string) bool { return wanted(strings.Split(text, "\n")) }); err != nil {
			c.err = fmt.Errorf("%s: %w\n%s", what, err, c.screen.Describe())
			break
		}
		cells := cellsOf(c.screen)
		// If there was no output in the meantime, these are the cells of the wanted screen.
		if c.screen.Bytes() == before {
			return cells
		}
	}
	return nil
}

func cellsOf(s *terminal.Screen) [][]terminal.Cell {
	width, height := s.Size()
	cells := make([][]terminal.Cell, height)
	for y := range cells {
		cells[y] = make([]terminal.Cell, width)
		for x := range cells[y] {
			cells[y][x] = s.Cell(x, y)
		}
	}
	return cells
}

// snap takes a picture once all texts are on the screen. Every picture must show that the console runs on the lab and
// that its data is live.
func (c *camera) snap(name, title string, texts ...string) { c.snapWhen(name, title, shows(texts...)) }

func (c *camera) snapWhen(name, title string, wanted func(lines []string) bool) {
	width, _ := c.screen.Size()
	cells := c.until(name, func(lines []string) bool {
		return inLab(lines) && drawn(lines, width) && wanted(lines)
	})
	if c.err == nil {
		*c.album = append(*c.album, shot{name, render(cells, "ironworks: "+title)})
	}
}

// has reports whether all texts are on the screen.
func has(lines []string, texts ...string) bool {
	for _, text := range texts {
		if !strings.Contains(strings.Join(lines, "\n"), text) {
			return false
		}
	}
	return true
}

// shows returns a function that reports whether all texts are on a screen.
func shows(texts ...string) func(lines []string) bool {
	return func(lines []string) bool { return has(lines, texts...) }
}

// showsRow returns a function that reports whether a line of a screen contains all texts.
func showsRow(texts ...string) func(lines []string) bool {
	return func(lines []string) bool { return row(lines, texts...) }
}

// inLab reports whether the screen shows LAB.
func inLab(lines []string) bool { return strings.Contains(lines[0], " LAB ") }

// drawn reports whether the screen was drawn for the terminal's width. After a resize, the terminal first clips the old
// screen, or leaves space beside it.
func drawn(lines []string, width int) bool {
	rule := slices.ContainsFunc(lines, func(line string) bool {
		return strings.Count(line, "─")+strings.Count(line, "-") >= width/4 && utf8.RuneCountInString(line) == width
	})
	return rule && liveAtEdge.MatchString(lines[0]) && lines[len(lines)-1] != ""
}

// liveAtEdge matches the end of a complete header.
var liveAtEdge = regexp.MustCompile(`updated [≤<]\d+s ago$`)

// row reports whether one of the lines contains all texts.
func row(lines []string, texts ...string) bool {
	return slices.ContainsFunc(lines, func(line string) bool { return has([]string{line}, texts...) })
}
