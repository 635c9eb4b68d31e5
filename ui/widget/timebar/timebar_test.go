package timebar_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/charmbracelet/x/ansi"

	"ironworks/ui/cell"
	"ironworks/ui/theme"
	"ironworks/ui/widget/timebar"
)

const second = time.Second

// deployment returns the spans of a deployment that is still running.
func deployment() []timebar.Span {
	return []timebar.Span{
		{From: 0, To: 5 * second, Name: "power on"},
		{From: 5 * second, To: 113 * second, Name: "boot to ramdisk 1m48"},
		{From: 113 * second, To: 180 * second, Due: 230 * second, Name: "install_coreos 1m07", Kind: timebar.Open, Role: theme.Busy},
	}
}

func TestBar(t *testing.T) {
	t.Parallel()
	broken := deployment()
	broken[2].Kind = timebar.Broken
	unseen := deployment()[1:]
	unseen[0].Unseen = true
	for _, tt := range []struct {
		name  string
		spans []timebar.Span
		w     int
		want  string
	}{
		{"wide", deployment(), 100, "├─├─────────── boot to ramdisk 1m48 ───────────├▓▓▓▓▓▓▓▓▓▓▓▓ install_coreos 1m07 ░░░░░░░░░░░░░┤     "},
		{"narrow", deployment(), 24, "├├─────────├▓▓▓▓▓▓░░░░┤ "},
		{"very narrow", deployment(), 4, "├├├ "},
		{"broken", broken, 60, "├├── boot to ramdisk 1m48 ──├───────────────✖               "},
		{"its beginning was not seen", unseen, 60, " …── boot to ramdisk 1m48 ──├▓▓▓ install_coreos 1m07 ░░░┤   "},
		{"nothing", nil, 10, "          "},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			s := timebar.NewScale(230*second, tt.w)
			if got := ansi.Strip(s.Bar(theme.New(theme.Options{}), tt.spans)); got != tt.want {
				t.Errorf("%q\nwant %q", got, tt.want)
			}
		})
	}
}

func TestRow(t *testing.T) {
	t.Parallel()
	s := timebar.NewScale(230*second, 60)
	var got []string
	for _, p := range append(deployment(), timebar.Span{From: 200 * second, To: 201 * second, Name: "reboot of a machine", Kind: timebar.Broken}) {
		got = append(got, ansi.Strip(s.Row(theme.New(theme.Options{}), p)))
	}
	want := []string{
		"├ power on                                                  ",
		" ├─ boot to ramdisk 1m48 ──┤                                ",
		"                            ├▓▓▓ install_coreos 1m07 ░░░┤   ",
		"                              reboot of a machine ✖         ",
	}
	if strings.Join(got, "\n") != strings.Join(want, "\n") {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

// TestSizes checks that each line has exactly the width of the scale.
func TestSizes(t *testing.T) {
	t.Parallel()
	th := theme.New(theme.Options{})
	names := []string{"", "x", "install_coreos 1m53", "节点节点节点节点", strings.Repeat("long ", 40)}
	label := func(d time.Duration) string { return fmt.Sprint(d) }
	for w := range 70 {
		for _, name := range names {
			for _, p := range []timebar.Span{
				{To: 0},
				{From: second, To: 3 * second},
				{From: 9 * second, To: 10 * second, Due: 90 * second, Kind: timebar.Open},
				{From: 100 * second, To: 200 * second, Kind: timebar.Broken, Unseen: true},
				{From: 5 * second, To: second},
			} {
				p.Name = name
				for _, s := range []timebar.Scale{timebar.NewScale(10*second, w), timebar.NewScale(time.Minute, w), {W: w}} {
					for what, got := range map[string]string{"row": s.Row(th, p), "bar": s.Bar(th, []timebar.Span{p, p, p}), "ruler": s.Ruler(label)} {
						if n := cell.Width(ansi.Strip(got)); n != w {
							t.Fatalf("%s of %+v on %+v: %d cells, want %d: %q", what, p, s, n, w, got)
						}
					}
				}
			}
		}
	}
}

func TestScaleRarelyChanges(t *testing.T) {
	t.Parallel()
	lengths := map[time.Duration]bool{}
	for d := time.Duration(0); d < 4*time.Minute; d += second {
		s := timebar.NewScale(d, 60)
		if s.Total < d {
			t.Fatalf("%v does not fit %v", d, s.Total)
		}
		lengths[s.Total] = true
	}
	if len(lengths) != 9 {
		t.Errorf("%d lengths in four minutes", len(lengths))
	}
	if got := timebar.NewScale(50*time.Hour, 1).Total; got != 72*time.Hour {
		t.Error(got)
	}
}

func TestRuler(t *testing.T) {
	t.Parallel()
	label := func(d time.Duration) string { return fmt.Sprintf("%.0fm", d.Minutes()) }
	s := timebar.NewScale(4*time.Minute, 41)
	if got, want := s.Ruler(label), "0m        1m        2m        3m       4m"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}

// TestRulerHasRoundTimes checks that labels are at round times, so that 10 s in 20 cells do not become "0s 3s 5s 8s
// 10s".
func TestRulerHasRoundTimes(t *testing.T) {
	t.Parallel()
	label := func(d time.Duration) string { return fmt.Sprint(d) }
	for _, tt := range []struct {
		total time.Duration
		w     int
		want  string
	}{
		{10 * second, 30, "0s    2s    4s    6s    8s    "},
		{10 * second, 22, "0s         5s      10s"},
		{45 * second, 40, "0s      10s      20s      30s      40s  "},
		{90 * second, 40, "0s           30s          1m0s     1m30s"},
		{8 * time.Minute, 40, "0s        2m0s      4m0s      6m0s  8m0s"},
		{72 * time.Hour, 40, "0s           24h0m0s      48h0m0s       "},
		{10 * second, 4, "0s  "},
		{0, 10, "0s        "},
	} {
		if got := (timebar.Scale{Total: tt.total, W: tt.w}).Ruler(label); got != tt.want {
			t.Errorf("%v in %d cells: %q, want %q", tt.total, tt.w, got, tt.want)
		}
	}
}
