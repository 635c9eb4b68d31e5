package show

import (
	"context"
	"fmt"
	"os"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"golang.org/x/term"

	"ironworks/cmd/cli"
	"ironworks/models"
	"ironworks/models/doctor"
	"ironworks/session/checkup"
)

type doctorFlags struct {
	timeout time.Duration
	verbose bool
}

type doctorJSON struct {
	Checks []doctor.Diagnosis `json:"checks"`
	Worst  doctor.Result      `json:"worst"`
}

func (a *app) doctorCommand() *cobra.Command {
	var flags doctorFlags
	cmd := &cobra.Command{
		Use:               "doctor [NODE...]",
		ValidArgsFunction: a.CompleteNodes(0),
		RunE: func(cmd *cobra.Command, args []string) error {
			return a.doctor(cmd, &flags, args)
		},
	}
	cmd.Flags().DurationVar(&flags.timeout, "timeout", time.Minute, "time limit for all checks")
	cmd.Flags().BoolVarP(&flags.verbose, "verbose", "v", false, "also show the evidence of checks that are ok")
	return cmd
}

func (a *app) doctor(cmd *cobra.Command, flags *doctorFlags, names []string) error {
	if flags.timeout <= 0 {
		return cli.Usagef("--timeout: must be a duration above zero, such as 1m")
	}
	ctx, cancel := context.WithTimeout(cmd.Context(), flags.timeout)
	defer cancel()
	progress := a.NewProgress()
	cfg, err := a.LoadConfig(cmd, cmd.Flags().Changed("read-only"))
	host := a.Host()
	facts := checkup.Facts(ctx, &host, cfg, err, names, func(text string) { progress.SetText("%s…", text) })
	progress.Stop()
	if f, is := a.Stdout.(*os.File); is {
		if width, height, err := term.GetSize(int(f.Fd())); err == nil { //nolint:gosec // file descriptors are small
			t := &facts.Local.Terminal
			t.IsTerminal, t.Width, t.Height = true, width, height
		}
	}
	if err := cmd.Context().Err(); err != nil {
		return err
	}
	all := doctor.Diagnose(facts)
	worst := doctor.WorstOf(all)
	r := cli.Result{Data: doctorJSON{Checks: all, Worst: worst}, Text: a.doctorText(all, flags.verbose)}
	said := map[doctor.ID]bool{}
	for _, d := range all {
		if d.Result != doctor.OK && !said[d.ID] {
			said[d.ID] = true
			r.Names = append(r.Names, string(d.ID))
		}
	}
	if worst != doctor.Fail {
		return a.Print(r)
	}
	return a.PrintExit(r, cli.ExitFailed)
}

// doctorMark returns the symbol and the word for a result. If ascii is set, the symbol is an ASCII character.
func doctorMark(r doctor.Result, ascii bool) string {
	signs := map[doctor.Result][2]string{
		doctor.OK: {"●", "+"}, doctor.Unknown: {"◌", "?"}, doctor.Warn: {"▲", "!"}, doctor.Fail: {"✖", "x"},
	}[r]
	if ascii {
		return fmt.Sprintf("%s %-7s", signs[1], r)
	}
	return fmt.Sprintf("%s %-7s", signs[0], r)
}

// doctorIndent is the column at which the text after the mark starts.
const doctorIndent = 12

// doctorText returns one line per check, below the heading of its group. For checks that are not ok, evidence and a
// remedy follow. If verbose is set, they follow for all checks.
func (a *app) doctorText(all []doctor.Diagnosis, verbose bool) string {
	var b strings.Builder
	host := a.Host()
	width, ascii := a.explainWidth(), !doctor.TerminalOf(host.Variable).UTF8
	group := ""
	count := map[doctor.Result]int{}
	for i := 0; i < len(all); i++ {
		d, ids := &all[i], []string{string(all[i].ID)}
		if d.Group != group {
			if group != "" {
				b.WriteString("\n")
			}
			group = d.Group
			b.WriteString(group + "\n")
		}
		count[d.Result]++
		// Checks that are unknown for the same reason share one line.
		for ; d.Result == doctor.Unknown && i+1 < len(all) && all[i+1].Title == d.Title && all[i+1].Group == group; i++ {
			ids = append(ids, string(all[i+1].ID))
			count[d.Result]++
		}
		title := d.Title
		if d.Result == doctor.Unknown {
			title = strings.Join(ids, ", ") + ": " + title
		}
		fmt.Fprintf(&b, "  %s %s\n", doctorMark(d.Result, ascii), cli.Wrapped(title, width, doctorIndent))
		if d.Result != doctor.OK || verbose {
			doctorDetails(&b, d, width, ascii)
		}
	}
	fmt.Fprintf(&b, "\n%d ok, %s, %d failed, %d unknown\n",
		count[doctor.OK], models.Counted(count[doctor.Warn], "warning"), count[doctor.Fail], count[doctor.Unknown])
	return b.String()
}

func doctorDetails(b *strings.Builder, d *doctor.Diagnosis, width int, ascii bool) {
	arrow := "→"
	if ascii {
		arrow = ">"
	}
	margin := strings.Repeat(" ", doctorIndent)
	for _, e := range d.Evidence {
		fmt.Fprintf(b, "%s%s\n", margin, cli.Wrapped(evidenceText(e), width, doctorIndent))
	}
	if d.Hint != "" {
		fmt.Fprintf(b, "%s%s %s\n", margin, arrow, cli.Wrapped(d.Hint, width, doctorIndent+2))
	}
}
