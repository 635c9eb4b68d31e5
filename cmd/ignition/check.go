package ignition

import (
	"fmt"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"ironworks/cmd/cli"
	"ironworks/ignition/firstboot"
	"ironworks/ignition/userdata"
	"ironworks/models"
)

func (a *app) ignitionCheckCommand() *cobra.Command {
	var filesDir, maxSpec, imageRoot string
	cmd := &cobra.Command{
		Use: "check FILE", Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			options := []userdata.Option{userdata.FilesDir(filesDir)}
			if maxSpec != "" {
				spec, err := parseSpec(maxSpec)
				if err != nil {
					return err
				}
				options = append(options, userdata.MaxSpec(spec))
			}
			if imageRoot != "" {
				image, err := firstboot.FromFolder(filepath.Clean(imageRoot))
				if err != nil {
					return cli.Usagef("--image-root: %w", err)
				}
				options = append(options, userdata.ForImage(image))
			}
			data, err := a.readConfig(args[0])
			if err != nil {
				return err
			}
			return a.printReport(args[0], userdata.Check(data, options...))
		},
	}
	f := cmd.Flags()
	f.StringVar(&filesDir, "files-dir", "", "directory of Butane's local: files; files outside it are not read")
	f.StringVar(&imageRoot, "image-root", "", "directory with the root file system of the image (default: built-in data of Fedora CoreOS and RHEL CoreOS)")
	f.StringVar(&maxSpec, "max-spec", "", "newest Ignition specification that the image supports, such as 3.4")
	return cmd
}

// parseSpec reads a version of the form 3.4 or 3.4.0.
func parseSpec(text string) (userdata.Spec, error) {
	for spec := userdata.Spec(0); spec <= userdata.NewestSpec; spec++ {
		if text == spec.String() || text+".0" == spec.String() {
			return spec, nil
		}
	}
	return 0, cli.Usagef("--max-spec %s: must be 3.0 to %s", text, userdata.NewestSpec)
}

// printReport prints a report. If the user data is invalid, it returns an error with exit code 3.
func (a *app) printReport(name string, report userdata.Report) error {
	if name == "-" {
		name = "stdin"
	}
	var ids []string
	for _, p := range report.Problems {
		ids = append(ids, string(p.ID))
	}
	code := cli.ExitOK
	if !report.OK() {
		code = cli.ExitRefused
	}
	return a.PrintExit(cli.Result{Data: report, Names: ids, Text: reportText(name, report)}, code)
}

func reportText(name string, report userdata.Report) string {
	var b strings.Builder
	count := map[userdata.Severity]int{}
	for _, p := range report.Problems {
		count[p.Severity]++
		b.WriteString(p.In(name) + "\n")
	}
	if len(report.Problems) > 0 {
		b.WriteString("\n")
	}
	for _, row := range report.Summary.Rows() {
		fmt.Fprintf(&b, "%-11s %s\n", row.Name, row.Text)
	}
	verdict := "valid"
	if !report.OK() {
		verdict = "invalid"
	}
	fmt.Fprintf(&b, "\n%s: %s: %s, %s, %s\n", name, verdict, models.Counted(count[userdata.SeverityError], "error"),
		models.Counted(count[userdata.SeverityWarning], "warning"), models.Counted(count[userdata.SeverityInfo], "note"))
	return b.String()
}
