package cmd

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"ironworks/config"
	"ironworks/ironicclient"
	"ironworks/models"
	"ironworks/models/doctor"
	"ironworks/provision"
	"ironworks/session"
	"ironworks/wire"
)

type doctorFlags struct {
	timeout time.Duration
	verbose bool
}

// doctorJSON is what doctor tells in JSON and YAML.
type doctorJSON struct {
	Checks []doctor.Diagnosis `json:"checks"`
	Worst  doctor.Result      `json:"worst"`
}

func (a *app) doctorCommand() *cobra.Command {
	var flags doctorFlags
	cmd := &cobra.Command{
		Use: "doctor [NODE...]", Short: "Check the way to Ironic, and what a deployment from here needs",
		Long: "Check the way to Ironic piece by piece (configuration, name, connection, TLS, Ironic, who we are, version, clock), what Ironic\n" +
			"has for a deployment from here (conductors, custom-agent, inspection, ramdisks that can be fetched), and what this machine has\n" +
			"for it. With NODEs their ramdisks and images, too. Nothing is changed, and no BMC is asked.\n" +
			"What is not ok is shown with what was seen and the way out; --verbose shows that of everything.\n\n" +
			"Exit codes: 0 when nothing failed (warnings are none), 1 when something did.",
		Example:           "  ironworks doctor\n  ironworks doctor r7-n01 -v\n  ironworks doctor --url https://ironic.example:6385 -o json",
		ValidArgsFunction: a.completeNodes(0),
		RunE: func(cmd *cobra.Command, args []string) error {
			return a.doctor(cmd, &flags, args)
		},
	}
	cmd.Flags().DurationVar(&flags.timeout, "timeout", time.Minute, "all checks together end after this long")
	cmd.Flags().BoolVarP(&flags.verbose, "verbose", "v", false, "show what was seen also of what is ok")
	return cmd
}

func (a *app) doctor(cmd *cobra.Command, flags *doctorFlags, names []string) error {
	if flags.timeout <= 0 {
		return usagef("--timeout: want a duration above zero, such as 1m")
	}
	ctx, cancel := context.WithTimeout(cmd.Context(), flags.timeout)
	defer cancel()
	progress := a.newProgress()
	facts := a.doctorFacts(ctx, cmd, names, func(text string) { progress.say("%s …", text) })
	progress.stop()
	if err := cmd.Context().Err(); err != nil {
		return err
	}
	all := doctor.Diagnose(facts)
	worst := doctor.WorstOf(all)
	r := result{data: doctorJSON{Checks: all, Worst: worst}, text: a.doctorText(all, flags.verbose)}
	said := map[doctor.ID]bool{}
	for _, d := range all {
		if d.Result != doctor.OK && !said[d.ID] {
			said[d.ID] = true
			r.names = append(r.names, string(d.ID))
		}
	}
	if err := a.print(r); err != nil || worst != doctor.Fail {
		return err
	}
	return &codeError{code: exitFailed}
}

// doctorFacts gathers everything: first what is here, then what the others say.
func (a *app) doctorFacts(ctx context.Context, cmd *cobra.Command, names []string, say func(string)) *doctor.Facts {
	f := &doctor.Facts{Now: clock{}.Now()}
	cfg, err := a.loadConfig(cmd, cmd.Flags().Changed("read-only"))
	x := &cfg.Current
	host := a.host()
	host.MaskContext(x)
	f.Auth, f.Config = x.Connection.Auth, configFacts(cfg, err)
	f.Here = a.doctorHere(ctx, cfg)
	if err != nil {
		return f
	}
	asked := *x
	asked.ReadOnly = true
	s, err := session.Open(host, asked, func(string) {})
	if err != nil {
		f.Config.Problems = problems(err)
		return f
	}
	defer s.Close()
	doctor := provision.Doctor{
		API: s.Client, Connection: x.Connection, Web: provision.NewWeb(), Clock: clock{}, Say: say,
		Reach: func(ctx context.Context, target, what string) models.Reach {
			o := wire.Options{TLS: x.Connection.TLS, Timeout: x.Connection.Timeout, Largest: reachLargest}
			if o.Timeout == 0 {
				o.Timeout = ironicclient.DefaultTimeout
			}
			return wire.Reach(ctx, o, target, what, clock{}.Now)
		},
	}
	doctor.Gather(ctx, f, names)
	return f
}

// reachLargest bounds an answer of who may be anybody.
const reachLargest = 1 << 20

// configFacts are what the configuration comes to; no secrets.
func configFacts(cfg *config.Config, err error) doctor.Config {
	x := &cfg.Current
	c := doctor.Config{
		Context: x.Name, Source: x.Source, Guessed: x.Guessed, Problems: problems(err), Warnings: cfg.Warnings,
		ReadOnly: x.ReadOnly, MaxMinor: x.Connection.MaxMinor, User: x.Connection.Username, TLS: x.Connection.TLS,
		Endpoint: models.MaskURL(x.Connection.Endpoint),
	}
	if x.Connection.Auth.Keystone() && c.Endpoint == "" {
		c.Endpoint = models.MaskURL(x.Connection.Keystone.AuthURL)
	}
	if x.Guessed {
		for _, p := range cfg.Looked {
			c.Looked = append(c.Looked, p.String())
		}
	}
	return c
}

// problems are the errors that are joined in one.
func problems(err error) []string {
	if err == nil {
		return nil
	}
	var joined interface{ Unwrap() []error }
	if !errors.As(err, &joined) {
		return []string{err.Error()}
	}
	var all []string
	for _, e := range joined.Unwrap() {
		all = append(all, problems(e)...)
	}
	return all
}

// doctorMark is a result's sign and word.
func doctorMark(r doctor.Result, ascii bool) string {
	sign, plain := "?", "?"
	switch r {
	case doctor.OK:
		sign, plain = "●", "+"
	case doctor.Unknown:
		sign, plain = "◌", "?"
	case doctor.Warn:
		sign, plain = "▲", "!"
	case doctor.Fail:
		sign, plain = "✖", "x"
	}
	if ascii {
		sign = plain
	}
	return fmt.Sprintf("%s %-7s", sign, r)
}

// doctorIndent is the column that what is said begins in: behind the mark.
const doctorIndent = 12

// doctorText has a line for each check under its heading; of what is not ok, or of all,
// what was seen and the way out.
func (a *app) doctorText(all []doctor.Diagnosis, verbose bool) string {
	var b strings.Builder
	width, ascii := a.explainWidth(), !a.utf8Locale()
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
		// What was not asked for one reason is told in one line.
		for ; d.Result == doctor.Unknown && i+1 < len(all) && all[i+1].Title == d.Title && all[i+1].Group == group; i++ {
			ids = append(ids, string(all[i+1].ID))
			count[d.Result]++
		}
		title := d.Title
		if d.Result == doctor.Unknown {
			title = strings.Join(ids, ", ") + ": " + title
		}
		fmt.Fprintf(&b, "  %s %s\n", doctorMark(d.Result, ascii), wrapped(title, width, doctorIndent))
		if d.Result != doctor.OK || verbose {
			doctorDetails(&b, d, width, ascii)
		}
	}
	fmt.Fprintf(&b, "\n%d ok, %d to look at, %d failed, %d unknown\n",
		count[doctor.OK], count[doctor.Warn], count[doctor.Fail], count[doctor.Unknown])
	return b.String()
}

func doctorDetails(b *strings.Builder, d *doctor.Diagnosis, width int, ascii bool) {
	arrow := "→"
	if ascii {
		arrow = ">"
	}
	margin := strings.Repeat(" ", doctorIndent)
	for _, e := range d.Evidence {
		fmt.Fprintf(b, "%s%s\n", margin, wrapped(evidenceText(e), width, doctorIndent))
	}
	if d.Hint != "" {
		fmt.Fprintf(b, "%s%s %s\n", margin, arrow, wrapped(d.Hint, width, doctorIndent+2))
	}
}
