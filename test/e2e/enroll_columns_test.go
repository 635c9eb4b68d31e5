package e2e

import (
	"fmt"
	"strings"
	"testing"

	"ironworks/test/ironic"
)

// TestEnrollMapsColumns checks that --column maps unknown headers to fields. Rows without a driver get the one from
// --driver, although the header IPMI IP would otherwise select ipmi. If a header or a field does not exist, the error
// names it, and no request is sent.
func TestEnrollMapsColumns(t *testing.T) {
	t.Parallel()
	eachRelease(t, func(t *testing.T, s *ironic.Server) {
		c := consoleAt(t, s)
		name := unique("columns")
		c.file("odd.csv", []byte("Maschine,IPMI IP,Konto,Kenn Wort,Karte,Bemerkung\n"+name+",10.0.0.77,admin,hunter2,52:54:02:77:00:01,neu\n"))
		args := []string{"enroll", "-f", "odd.csv"}
		for flags, want := range map[string]string{
			"--column Machine=name":       `no column "Machine" (did you mean "Maschine"?); columns: Maschine, IPMI IP, Konto`,
			"--column Maschine=nam":       `column "Maschine": unknown field "nam" (did you mean "name"?); fields: bmc, bmc.username`,
			"--column Maschine":           `use HEADER=FIELD`,
			"--driver ipmi --bmc 10.0.0.": "give either -f FILE or --bmc ADDRESS",
		} {
			code := 2
			if strings.Contains(flags, "Machine") {
				code = 1 // a column that the file lacks is not a usage error
			}
			if o := c.fails(code, append(args, strings.Fields(flags)...)...); !strings.Contains(o.stderr, want) {
				t.Errorf("%s: %s, want %s", flags, o.stderr, want)
			}
		}
		args = append(args, "--column", "Maschine=name", "--column", "Konto=bmc.username", "--column", "Kenn Wort=bmc.password",
			"--column", "Karte=port.address", "--column", "Bemerkung=", "--driver", "redfish")
		if o := c.ok(append(args, "--yes")...); strings.Contains(o.stdout+o.stderr, "hunter2") || !strings.Contains(o.stderr, "Bemerkung: ignored") {
			t.Errorf("%s%s", o.stdout, o.stderr)
		}
		n := apiNode(t, s, name)
		if got := fmt.Sprint(n["driver"], n["driver_info"], n["extra"]); got != "redfishmap[redfish_address:https://10.0.0.77 redfish_password:****** redfish_username:admin] map[]" {
			t.Errorf("node %s", got)
		}
		if o := c.ok(append(args, "--dry-run")...); !strings.Contains(o.stderr, "1 unchanged; nothing was sent") {
			t.Errorf("again: %s%s", o.stdout, o.stderr)
		}
	})
}
