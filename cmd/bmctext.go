package cmd

import (
	"fmt"
	"strings"

	"ironworks/models"
	"ironworks/provision"
)

// printBMC prints what a controller told.
func (a *app) printBMC(l *provision.BMCLook) error {
	return a.print(result{data: l, names: []string{l.BMC.Address}, text: bmcText(l)})
}

// bmcText is what a controller told, for people. All BIOS settings are in -o json.
func bmcText(l *provision.BMCLook) string {
	var b strings.Builder
	title, sections := l.Page()
	if l.Node != nil {
		fmt.Fprintf(&b, "%s  ", models.Printable(l.Node.Label()))
	}
	fmt.Fprintf(&b, "%s  %s\n", title, models.Printable(l.BMC.Address))
	for _, section := range sections {
		switch section.Title {
		case "BIOS settings":
			continue
		case "":
		default:
			fmt.Fprintf(&b, "\n%s\n", section.Title)
		}
		for _, row := range section.Rows {
			fmt.Fprintf(&b, "  %-22s %s\n", row.Name, row.Text)
		}
	}
	return b.String()
}

// bmcConsoleRow is a console as a table has it.
func bmcConsoleRow(c *models.BMCConsole) []string {
	enabled := "no"
	if c.Enabled {
		enabled = "yes"
	}
	return []string{models.Printable(string(c.Kind)), enabled, models.Printable(strings.Join(c.Types, ", ")), models.Printable(c.URL)}
}
