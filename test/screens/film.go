package main

import (
	"fmt"
	"os"
	"strings"
	"time"

	"ironworks/cast"
	"ironworks/test/terminal"
)

// scene is one screen of a film, with the time for which it is shown.
type scene struct {
	cells [][]terminal.Cell
	shown time.Duration
}

// animate draws the frames into one SVG, which shows them in an endless loop. A renderer without animation shows the
// first frame.
func animate(frames []scene, title string) []byte {
	var b strings.Builder
	begin(&b, frames[0].cells, title)
	total := time.Duration(0)
	for _, f := range frames {
		total += f.shown
	}
	at := time.Duration(0)
	for i, f := range frames {
		from, to := at.Seconds()/total.Seconds(), (at+f.shown).Seconds()/total.Seconds()
		at += f.shown
		visibility, values, times := "hidden", "hidden;visible;hidden", fmt.Sprintf("0;%.4f;%.4f", from, to)
		switch i {
		case 0:
			visibility, values, times = "visible", "visible;hidden", fmt.Sprintf("0;%.4f", to)
		case len(frames) - 1:
			values, times = "hidden;visible", fmt.Sprintf("0;%.4f", from)
		}
		fmt.Fprintf(&b, `<g visibility="%s"><animate attributeName="visibility" calcMode="discrete" values="%s" keyTimes="%s" dur="%.1fs" repeatCount="indefinite"/>`+"\n",
			visibility, values, times, total.Seconds())
		screenful(&b, f.cells)
		b.WriteString("</g>\n")
	}
	b.WriteString("</svg>\n")
	return []byte(b.String())
}

// filmStep is a part of a film: the keys, and the screen that they lead to.
type filmStep struct {
	keys   []string
	shown  time.Duration
	what   string
	wanted func(lines []string) bool
}

// session returns the steps of the README's film, which shows the tutorial's first deployment and an explanation.
func session() []filmStep {
	return []filmStep{
		{nil, 2 * time.Second, "the first rows", func(lines []string) bool { return row(lines, works) && row(lines, failed) }},
		{nil, 2 * time.Second, "machines that boot", showsRow(works, "wait call-back")},
		{nil, 2 * time.Second, "an installation", showsRow(works, "install_coreos")},
		{nil, 3 * time.Second, "an available node", func(lines []string) bool {
			return row(lines, ready, "available") && row(lines, failed, "deploy failed")
		}},
		{[]string{"/", "n04"}, 2 * time.Second, "the filter", func(lines []string) bool { return row(lines, ready, "available") && !row(lines, failed) }},
		{[]string{terminal.Enter, "d"}, 3 * time.Second, "the disks", func(lines []string) bool { return row(lines, "❯", "/dev/sda") && has(lines, "✖") }},
		{[]string{terminal.Enter}, 2 * time.Second, "a pinned disk", showsRow("●", "/dev/sda")},
		{[]string{"r"}, 3 * time.Second, "the review", func(lines []string) bool {
			return has(lines, "Review]", "/dev/sda") && !has(lines, "checking") && row(lines, "Deploy", ready, "updated")
		}},
		{[]string{"D"}, 2 * time.Second, "the question", shows("╭", ready)},
		{[]string{ready}, time.Second, "the name", shows("> " + ready)},
		{[]string{terminal.Enter}, 2 * time.Second, "the watch screen", func(lines []string) bool { return has(lines, "› watch") && row(lines, ready) }},
		{nil, 2 * time.Second, "the installation", func(lines []string) bool { return has(lines, "› watch") && row(lines, ready, "install_coreos") }},
		{nil, 3 * time.Second, "the end", func(lines []string) bool { return has(lines, "› watch") && row(lines, ready, "active") }},
		{[]string{"1"}, time.Second, "the fleet", shows("› fleet")},
		{[]string{"/", terminal.CtrlU, "n02", terminal.Enter}, 2 * time.Second, "the failed node", showsRow("❯", failed, "deploy failed")},
		{[]string{"e"}, 5 * time.Second, "the explanation", shows("rule no-hinted-device", "❯ enter")},
	}
}

// film types the keys of the session and waits for each of its screens.
func film(c *camera) {
	for _, s := range session() {
		// A question ignores keys for a moment after it appears.
		<-time.After(time.Second)
		c.press(s.keys...)
		if c.until(s.what, s.there); c.err != nil {
			return
		}
	}
}

// there reports whether the screen is complete and is the one that the step leads to.
func (s filmStep) there(lines []string) bool { return lines[len(lines)-1] != "" && s.wanted(lines) }

// develop makes the moving picture from the recording of the session.
func develop(file string) (shot, error) {
	recording, err := os.Open(file) //nolint:gosec // in the folder of this run
	if err != nil {
		return shot{}, err
	}
	defer func() { _ = recording.Close() }()
	r, err := cast.NewReader(recording)
	if err != nil {
		return shot{}, err
	}
	script := session()
	var frames []scene
	err = terminal.Play(r, func(s *terminal.Screen) bool {
		for len(frames) < len(script) && script[len(frames)].there(s.Lines()) {
			frames = append(frames, scene{cellsOf(s), script[len(frames)].shown})
			if next := len(frames); next < len(script) && script[next].keys != nil {
				break // the next screen comes with the next keys
			}
		}
		return len(frames) < len(script)
	})
	if err != nil {
		return shot{}, fmt.Errorf("%s: %w", file, err)
	}
	if len(frames) < len(script) {
		return shot{}, fmt.Errorf("%s does not show %s", file, script[len(frames)].what)
	}
	return shot{"session", animate(frames, "ironworks: a first deployment in the lab")}, nil
}
