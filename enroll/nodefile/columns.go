package nodefile

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"unicode"

	"ironworks/enroll"
	"ironworks/models"
	"ironworks/spell"
)

// Column maps a spreadsheet column to the field that it sets.
type Column struct {
	Header string
	// Field is the field that the column sets: a field of the node (name, driver_info.redfish_address,
	// properties.capabilities, extra.rack), traits, or a field of a port (port.address, port2.physical_network). The
	// fields bmc, bmc.username, bmc.password, bmc.port and bmc.system describe the BMC, whatever its driver. If Field
	// is empty, the column is not used.
	Field string
	// Note explains why the column is mapped in an unexpected way. It is empty if there is nothing to explain.
	Note string
	// Unknown means that the header is not known, and that the user did not map it.
	Unknown bool

	// rank orders columns that could set the same field. The column with the lowest rank sets it.
	rank int
	// text means that cells are never JSON.
	text bool
	// ipmi means that the header mentions IPMI, which is then the default driver unless the address is a URL.
	ipmi bool
}

// String describes the mapping, for example "BMC IP → bmc".
func (c Column) String() string {
	text := c.Header + " → " + c.Field
	if c.Field == "" {
		text = c.Header + ": ignored"
	}
	if c.Note != "" {
		text += " (" + c.Note + ")"
	}
	return text
}

// aliases returns the known headers by field. The most specific headers come first.
func aliases() map[string][]string {
	return map[string][]string{
		"name": {"name", "node name", "node", "hostname", "host name", "server name", "server", "machine", "host"},
		"uuid": {"uuid", "node uuid"},
		"bmc": {
			"bmc address", "bmc url", "bmc ip address", "bmc ip", "bmc host", "bmc hostname", "bmc fqdn", "bmc", "redfish address", "redfish url",
			"redfish ip", "redfish", "ipmi address", "ipmi ip address", "ipmi ip", "ipmi host", "ipmi", "idrac address", "idrac ip", "idrac",
			"ilo address", "ilo ip", "ilo", "xcc ip", "cimc ip", "oob address", "oob ip", "oob", "management address", "management ip address",
			"management ip", "mgmt address", "mgmt ip", "pm addr", "ip address", "ip", "address",
		},
		"bmc.username": {
			"bmc username", "bmc user", "bmc user name", "bmc login", "redfish username", "redfish user", "ipmi username", "ipmi user", "idrac user", "ilo user",
			"pm user", "username", "user name", "user", "login",
		},
		"bmc.password": {
			"bmc password", "bmc pass", "redfish password", "ipmi password", "ipmi pass", "idrac password", "ilo password", "pm password", "password",
			"passwd", "pass",
		},
		"extra.bmc_mac":           {"bmc mac address", "bmc mac"},
		"bmc.port":                {"bmc port", "ipmi port", "redfish port", "pm port"},
		"bmc.system":              {"redfish system id", "redfish system", "system id", "system", "system path", "pm system id"},
		"driver":                  {"driver", "hardware type", "pm type"},
		"resource_class":          {"resource class", "class", "flavor"},
		"conductor_group":         {"conductor group", "group"},
		"owner":                   {"owner"},
		"lessee":                  {"lessee"},
		"shard":                   {"shard"},
		"description":             {"description", "comment", "comments", "notes", "note", "remarks"},
		"boot_interface":          {"boot interface"},
		"deploy_interface":        {"deploy interface"},
		"network_interface":       {"network interface"},
		"traits":                  {"traits", "trait"},
		"properties.cpu_arch":     {"cpu arch", "architecture", "arch"},
		"properties.cpus":         {"cpus", "cpu cores", "cores"},
		"properties.memory_mb":    {"memory mib", "memory mb", "ram mib", "ram mb"},
		"properties.local_gb":     {"local gb", "disk gb", "disk gib"},
		"properties.capabilities": {"capabilities"},
		"extra.serial_number":     {"serial number", "serial no", "serial", "service tag", "s n", "sn"},
		"port.address":            {"boot mac address", "boot mac", "pxe mac address", "pxe mac", "mac address", "mac addresses", "mac", "macs", "nic mac", "port address"},
		"port.physical_network":   {"physical network", "physnet"},
		"driver_info.deploy_iso":  {"deploy iso"},
		"driver_info.bootloader":  {"bootloader"},
		"driver_info.ipmi_cipher_suite": {
			"ipmi cipher suite", "cipher suite",
		},
	}
}

// knownExtras returns headers that match no field but are common. The values of these columns are stored in extra.
func knownExtras() []string {
	return []string{
		"rack", "unit", "u", "rack unit", "position", "slot", "location", "site", "datacenter", "data center", "dc", "room", "row", "aisle", "vendor",
		"manufacturer", "model", "asset tag", "asset", "asset number", "chassis", "role", "environment", "purchase date", "warranty",
	}
}

// numberedMAC matches normalized headers that number or name a network card, such as mac1, mac 2, nic3 mac and eth0
// mac address. Tables with several MAC address columns have such headers.
var numberedMAC = regexp.MustCompile(`^(?:(?:nic |port )?mac(?: address)? ?\d+|(?:nic|port|eth|interface|if) ?\d+(?: mac(?: address)?)?)$`)

// normalized returns a header in lower case, with one space for each run of characters that are neither letters nor
// digits.
func normalized(header string) string {
	return strings.Join(strings.FieldsFunc(strings.ToLower(header), func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) }), " ")
}

// columns maps the headers of a spreadsheet to fields. forced holds the user's choices, by header.
func (r *reader) columns(line int, headers []string, forced map[string]string) []Column {
	known := map[string]Column{}
	for field, names := range aliases() {
		for rank, name := range names {
			known[name] = Column{Field: field, rank: rank + 2, text: true, ipmi: strings.HasPrefix(name, "ipmi")}
		}
	}
	columns := make([]Column, len(headers))
	for i, header := range headers {
		columns[i] = r.column(line, header, known)
		columns[i].Header = header
	}
	r.force(line, columns, forced)
	r.settle(line, columns)
	return columns
}

// column maps a header to the field that it names or is an alias for. Most other headers become keys in extra. Row
// numbers, secrets and columns without a header are not used.
func (r *reader) column(line int, header string, known map[string]Column) Column {
	field := strings.ToLower(strings.TrimSpace(header))
	if exact := strings.TrimSpace(header); isPath(exact) {
		if why := checkField(exact); why != "" {
			r.problems.Add(line, "column %q: %s", header, why)
		}
		return Column{Field: exact, rank: 1}
	}
	if _, is := nodeField(field); is {
		return Column{Field: field, rank: 1, text: true}
	}
	name := normalized(header)
	if c, is := known[name]; is {
		return c
	}
	switch {
	case numberedMAC.MatchString(name):
		return Column{Field: "port.address", text: true}
	case name == "":
		return Column{Note: "no header"}
	case name == "no" || name == "nr" || header == "#":
		return Column{Note: "row number"}
	case models.SecretKey(strings.ReplaceAll(name, " ", "_")):
		return Column{Note: "secrets cannot be stored in extra"}
	case name == "memory" || name == "ram":
		return extraColumn(name, "the unit is missing; rename the column to memory mib")
	case name == "disk":
		return extraColumn(name, "the unit is missing; rename the column to disk gb")
	case slices.Contains(knownExtras(), name):
		return extraColumn(name, "")
	}
	c := extraColumn(name, "no field with this name"+spell.DidYouMean(name, slices.Sorted(maps.Keys(known))))
	c.Unknown = true
	return c
}

func extraColumn(name, note string) Column {
	return Column{Field: "extra." + strings.ReplaceAll(name, " ", "_"), Note: note, text: true, rank: 1}
}

// ParseColumns reads the user's choices, which have the form HEADER=FIELD. If FIELD is empty, the column is ignored.
func ParseColumns(args []string) (map[string]string, error) {
	fields := map[string]string{}
	for _, arg := range args {
		at := strings.LastIndexByte(arg, '=') // the names of fields contain no "="
		if at <= 0 || strings.TrimSpace(arg[:at]) == "" {
			return nil, fmt.Errorf("%q: use HEADER=FIELD, such as 'BMC IP=bmc'; %s", arg, possibleFields)
		}
		header, field := strings.TrimSpace(arg[:at]), strings.TrimSpace(arg[at+1:])
		if _, twice := fields[header]; twice {
			return nil, fmt.Errorf("column %q is given twice", header)
		}
		if why := checkField(field); field != "" && why != "" {
			return nil, fmt.Errorf("column %q: %s; %s", header, why, possibleFields)
		}
		fields[header] = field
	}
	return fields, nil
}

// possibleFields tells the user which fields a column can set.
const possibleFields = "fields: bmc, bmc.username, bmc.password, bmc.port, bmc.system, traits, port.address and other port fields, name and other node fields, " +
	"and object keys such as driver_info.deploy_iso, properties.capabilities and extra.rack; none ignores the column"

// ColumnFields returns the fields that a column can set, for completion. A key must follow a trailing dot.
func ColumnFields() []string {
	fields := bmcFields()
	for _, field := range enroll.NodeFields() {
		if kind, _ := nodeField(field); kind == objectField {
			field += "."
		}
		fields = append(fields, field)
	}
	for _, field := range append(portTexts(), "pxe_enabled", "is_smartnic", "local_link_connection.", "extra.") {
		fields = append(fields, "port."+field)
	}
	return fields
}

// force maps headers to fields as the user requested; see [ParseColumns] for the fields.
func (r *reader) force(line int, columns []Column, forced map[string]string) {
	for _, header := range slices.Sorted(maps.Keys(forced)) {
		i := slices.IndexFunc(columns, func(c Column) bool { return strings.EqualFold(strings.TrimSpace(c.Header), strings.TrimSpace(header)) })
		if i < 0 {
			i = slices.IndexFunc(columns, func(c Column) bool { return normalized(c.Header) == normalized(header) })
		}
		if i < 0 {
			var headers []string
			for _, c := range columns {
				headers = append(headers, c.Header)
			}
			r.problems.Add(line, "no column %q%s; columns: %s", header, spell.DidYouMean(header, headers), shortened(headers))
			continue
		}
		columns[i] = Column{Header: columns[i].Header, Field: forced[header]}
	}
}

// settle moves columns to extra if another column sets their field. port.address and traits may have several.
func (r *reader) settle(line int, columns []Column) {
	best := map[string]int{}
	for i, c := range columns {
		if c.Field == "" || c.Field == "port.address" || c.Field == "traits" {
			continue
		}
		if first, taken := best[c.Field]; !taken || c.rank < columns[first].rank {
			best[c.Field] = i
		}
	}
	for i, c := range columns {
		first, single := best[c.Field]
		if !single || first == i {
			continue
		}
		if c.rank == columns[first].rank {
			r.problems.Add(line, "columns %q and %q both set %s", columns[first].Header, c.Header, c.Field)
			continue
		}
		note := fmt.Sprintf("%s comes from column %q", c.Field, columns[first].Header)
		columns[i] = Column{Header: c.Header, Note: note}
		if c.Field != "bmc.password" {
			columns[i] = extraColumn(normalized(c.Header), note)
			columns[i].Header = c.Header
		}
	}
}

// portPath matches port.FIELD and port2.FIELD, where FIELD may be followed by a key.
var portPath = regexp.MustCompile(`^port(\d{0,3})\.([a-z_]+)(?:\.([a-z_]+))?$`)

// isPath reports whether a header is the path of a field and not a description in words.
func isPath(header string) bool {
	head, tail, dotted := strings.Cut(header, ".")
	if !dotted || tail == "" || strings.ContainsAny(header, " \t") {
		return false
	}
	kind, known := nodeField(head)
	return known && kind == objectField || head == "bmc" || portPath.MatchString(header)
}

// bmcFields returns the fields that describe a BMC independently of its driver, and the traits field.
func bmcFields() []string {
	return []string{"bmc", "bmc.username", "bmc.password", "bmc.port", "bmc.system", "traits"}
}

// checkField returns the reason why a column cannot set the given field, or "" if it can.
func checkField(field string) string {
	if slices.Contains(bmcFields(), field) {
		return ""
	}
	if m := portPath.FindStringSubmatch(field); m != nil {
		kind, known := portField(m[2])
		if !known || (m[3] != "") != (kind == objectField) {
			return fmt.Sprintf("unknown port field %q%s", m[2], spell.DidYouMean(m[2], portTexts()))
		}
		return ""
	}
	head, tail, dotted := strings.Cut(field, ".")
	kind, known := nodeField(head)
	switch {
	case !known:
		return fmt.Sprintf("unknown field %q%s", field, spell.DidYouMean(field, append(enroll.NodeFields(), append(bmcFields(), "port.address")...)))
	case dotted != (kind == objectField) || dotted && slices.Contains(strings.Split(tail, "."), ""):
		return fmt.Sprintf("field %q: use a path such as %s", field, map[bool]string{true: "properties.capabilities", false: head}[kind == objectField])
	}
	return ""
}
