package cmd

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"

	"github.com/spf13/cobra"

	"ironworks/models"
	"ironworks/models/hints"
	"ironworks/provision"
)

func (a *app) hintsCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use: "hints match|set", Short: "Try root device hints on disks, and write the hint for a disk",
		ValidArgs: []string{"match", "set"},
	}
	cmd.AddCommand(a.hintsMatchCommand(), a.hintsSetCommand())
	return needsSubcommand(cmd)
}

// matchFlags are those of hints match.
type matchFlags struct {
	hints, inventory, skip, batch, release string
}

func (a *app) hintsMatchCommand() *cobra.Command {
	var f matchFlags
	cmd := &cobra.Command{
		Use: "match --hints JSON --inventory FILE | --batch FILE", Args: cobra.NoArgs,
		Short: "Say which disk root device hints pick, as Ironic and the ramdisk would; no connection is needed",
		Long: "Say which disk root device hints pick. Ironic's validation and the search of the ramdisk's agent are told\n" +
			"separately, because they disagree over some hints.\n\n" +
			"--inventory reads Ironic's answer for a node's inventory, its list of disks, or the output of ironworks disks -o json. --batch reads a line of\n" +
			`{"hints": …, "disks": […]}` + " for each case, and answers each with a line of\n" +
			`{"valid": bool, "invalid_because": …, "agent": {"picks": NAME or null, "error": …}}` + ". - is standard input.",
		Example: `  ironworks hints match --hints '{"model": "<in> 980 pro", "size": ">= 400"}' --inventory inventory.json -o json` + "\n" +
			"  ironworks hints match --batch cases.jsonl > answers.jsonl",
		RunE: func(cmd *cobra.Command, _ []string) error {
			by, err := hints.ParseGeneration(f.release)
			if err != nil {
				return usagef("--release: %w", err)
			}
			given := cmd.Flags().Changed
			switch {
			case given("batch") && (given("hints") || given("inventory") || given("skip")):
				return usagef("hints match: --batch has hints and disks in its lines")
			case given("batch"):
				return a.matchBatch(f.batch, by)
			case !given("hints") || !given("inventory"):
				return usagef("hints match: want --hints and --inventory, or --batch")
			}
			return a.matchOne(f, by)
		},
	}
	cmd.Flags().StringVar(&f.hints, "hints", "", "the hints: JSON, @FILE or -")
	cmd.Flags().StringVar(&f.inventory, "inventory", "", "the inventory: FILE, @FILE or -")
	cmd.Flags().StringVar(&f.skip, "skip", "", "skip_block_devices of the node: JSON, @FILE or -")
	cmd.Flags().StringVar(&f.batch, "batch", "", "a file with a case a line, or -")
	cmd.Flags().StringVar(&f.release, "release", hints.GenerationNewest.String(), "whose code reads the hints: newest (Ironic 39.0) or old (21.4)")
	return cmd
}

// matchReport is what JSON shows of one case.
type matchReport struct {
	hints.Verdict
	Disagree string            `json:"disagree,omitempty"`
	Problems []hints.Problem   `json:"problems"`
	Disks    []hints.DiskCheck `json:"disks"`
}

func (a *app) matchOne(f matchFlags, by hints.Generation) error {
	var c hints.Case
	var err error
	if c.Hints, err = a.readHints(f.hints); err != nil {
		return usagef("--hints: %w", err)
	}
	if c.Skip, err = a.readHints(f.skip); err != nil {
		return usagef("--skip: %w", err)
	}
	raw, err := a.readArgument(f.inventory)
	if err == nil {
		c.Disks, err = hints.DecodeDisks(raw)
	}
	if i := slices.IndexFunc(c.Disks, func(d hints.Disk) bool { return d.Name == "" || d.Size <= 0 }); err == nil && i >= 0 {
		err = fmt.Errorf("disk %d has no name or no size: want a node's inventory, its list of disks, or what ironworks disks NODE -o json prints", i+1)
	}
	if err != nil {
		return usagef("--inventory: %w", err)
	}
	e := c.Search(by).Explain(c.Disks)
	verdict := c.Judge(by)
	report := matchReport{
		Verdict: verdict, Disagree: c.Hints.Disagree(by), Problems: nonNil(e.Problems), Disks: nonNil(e.Disks),
	}
	if err := a.print(diskTable(report, e)); err != nil {
		return err
	}
	if a.output == outputTable || a.output == "" {
		if verdict.Because != nil {
			a.complain("Ironic: invalid: %s", *verdict.Because)
		}
		if verdict.Agent.Error != nil {
			a.complain("ramdisk: %s", *verdict.Agent.Error)
		}
		for _, p := range e.Problems {
			a.complain("%s", problemText(p))
		}
	}
	return nil
}

// readHints reads JSON that is written out, or in a file.
func (a *app) readHints(arg string) (hints.Hints, error) {
	raw := []byte(arg)
	if arg != "" && !json.Valid(raw) {
		var err error
		if raw, err = a.readArgument(arg); err != nil {
			return hints.Hints{}, err
		}
	}
	return hints.Decode(raw)
}

// matchBatch answers a case a line.
func (a *app) matchBatch(file string, by hints.Generation) error {
	in := a.stdin
	if file != "-" {
		f, err := os.Open(file) //nolint:gosec // the user's own file
		if err != nil {
			return usagef("--batch: %w", err)
		}
		defer func() { _ = f.Close() }()
		in = f
	}
	return judgeLines(in, a.stdout, by)
}

// judgeLines reads cases and writes verdicts, line by line.
func judgeLines(in io.Reader, out io.Writer, by hints.Generation) error {
	lines := bufio.NewReaderSize(in, 1<<16)
	answers := bufio.NewWriterSize(out, 1<<16)
	var text bytes.Buffer
	enc := json.NewEncoder(&text)
	enc.SetEscapeHTML(false)
	for number := 1; ; number++ {
		line, readErr := lines.ReadBytes('\n')
		if readErr != nil && !errors.Is(readErr, io.EOF) {
			return fmt.Errorf("--batch: line %d: %w", number, readErr)
		}
		if len(bytes.TrimSpace(line)) > 0 {
			c, err := hints.DecodeCase(line)
			if err != nil {
				_ = answers.Flush() // what went before is answered
				return usagef("--batch: line %d: %w", number, err)
			}
			text.Reset()
			if err := enc.Encode(c.Judge(by)); err != nil {
				return fmt.Errorf("--batch: line %d: %w", number, err)
			}
			if _, err := answers.Write(harmlessJSON(text.Bytes())); err != nil {
				return fmt.Errorf("write the answers: %w", err)
			}
		}
		if readErr != nil {
			return answers.Flush()
		}
	}
}

func (a *app) hintsSetCommand() *cobra.Command {
	var flags actFlags
	var disk string
	to := string(hints.OfProperties)
	cmd := &cobra.Command{
		Use: "set NODE --disk NAME", Short: "Write the most stable hint for a disk of a node",
		Long: "Write the hint that tells a disk from all others of the node for good: its wwn, else wwn_with_extension,\n" +
			"wwn_vendor_extension, serial, by_path or hctl. It takes the place of the hints that are there. Refused with exit\n" +
			"code 3 when none of them is the disk's own.\n\n" +
			"Hints in instance_info come before those in properties, and are gone after an undeploy.",
		Args: cobra.ExactArgs(1), ValidArgsFunction: a.completeNodes(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if to != string(hints.OfProperties) && to != string(hints.OfInstance) {
				return usagef("--to %s: want properties or instance_info", models.Printable(to))
			}
			if disk == "" {
				return usagef("hints set: want --disk NAME, as ironworks disks shows it")
			}
			pin, err := a.pinDisk(cmd, args[0], disk, hints.Source(to))
			if err != nil {
				return err
			}
			return a.act(cmd, pin, args, flags)
		},
	}
	flags.register(cmd, false)
	cmd.Flags().StringVar(&disk, "disk", "", "the disk's name, as inspection found it")
	cmd.Flags().StringVar(&to, "to", to, "where to write it: properties or instance_info")
	return cmd
}

// pinDisk reads the node's disks and says what will be written.
func (a *app) pinDisk(cmd *cobra.Command, node, disk string, to hints.Source) (provision.Action, error) {
	s, err := a.connect(cmd)
	if err != nil {
		return nil, err
	}
	defer s.Close()
	found, err := readDisks(cmd, s, node)
	if err != nil {
		return nil, err
	}
	_, hints, err := found.PinDisk(disk, to)
	if err != nil {
		return nil, err
	}
	a.complain("%s.root_device = %s", to, hints)
	for _, note := range found.Notes(clock{}.Now(), provision.InventoryAge) {
		a.complain("note: %s", note)
	}
	return provision.Pin(found, disk, to), nil
}
