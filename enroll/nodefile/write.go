package nodefile

import (
	"cmp"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"ironworks/enroll"
	"ironworks/enroll/metal3"
	"ironworks/models"
)

// Written returns the formats that can be written.
func Written() []Format { return []Format{Baremetal, Bifrost, CSV, BMH} }

// Write writes nodes, with placeholders for unknown secrets. The notes list data that the format cannot represent.
func Write(w io.Writer, format Format, nodes []enroll.Node) (notes []string, err error) {
	for i := range nodes {
		for _, note := range nodes[i].Notes {
			notes = append(notes, nodes[i].Label()+": "+note)
		}
		if nodes[i].Adopt && format != BMH {
			notes = append(notes, nodes[i].Label()+": runs an instance, which this format omits; enroll with --to manageable, then adopt")
		}
	}
	write := map[Format]func(io.Writer, []enroll.Node) ([]string, error){
		Baremetal: writeBaremetal, Bifrost: writeBifrost, CSV: writeCSV, BMH: metal3.Write,
	}[format]
	if write == nil {
		return nil, fmt.Errorf("format %s cannot be written: use one of %s", format, strings.Join(models.Texts(Written()), ", "))
	}
	more, err := write(w, nodes)
	return append(notes, more...), err
}

// body returns the fields of a node, including secrets, with placeholders for unknown ones.
func body(n *enroll.Node) map[string]any {
	out := n.Body()
	if info, is := out["driver_info"].(map[string]any); is {
		for key, secret := range n.Secrets {
			if !secret.IsSet() {
				info[key] = enroll.Placeholder
			}
		}
	}
	return out
}

func writeBaremetal(w io.Writer, nodes []enroll.Node) ([]string, error) {
	list := make([]map[string]any, len(nodes))
	for i := range nodes {
		n := &nodes[i]
		list[i] = body(n)
		if len(n.Traits) > 0 {
			list[i]["traits"] = n.Traits
		}
		if len(n.Ports) > 0 {
			list[i]["ports"] = n.Ports
		}
		var groups []map[string]any
		for _, g := range n.Portgroups {
			group := maps.Clone(g.Fields)
			if len(g.Ports) > 0 {
				group["ports"] = g.Ports
			}
			groups = append(groups, group)
		}
		if len(groups) > 0 {
			list[i]["portgroups"] = groups
		}
	}
	return nil, writeYAML(w, map[string]any{"nodes": list})
}

func writeYAML(w io.Writer, v any) error {
	enc := yaml.NewEncoder(w)
	enc.SetIndent(2)
	if err := enc.Encode(v); err != nil {
		return err
	}
	return enc.Close()
}

// writeBifrost writes an inventory. Bifrost's role uses the driver, driver_info, properties and NICs. The other
// fields are written so that ironworks itself can read them.
func writeBifrost(w io.Writer, nodes []enroll.Node) (notes []string, err error) {
	hosts := map[string]any{}
	for i := range nodes {
		n := &nodes[i]
		host := body(n)
		name := cmp.Or(n.Name(), n.UUID())
		delete(host, "name")
		if properties, is := host["properties"].(map[string]any); is {
			renamed := maps.Clone(properties)
			for field, theirs := range map[string]string{"memory_mb": "ram", "local_gb": "disk_size"} {
				if value, set := renamed[field]; set {
					renamed[theirs] = value
					delete(renamed, field)
				}
			}
			host["properties"] = renamed
		}
		if _, set := host["network_interface"]; set {
			notes = append(notes, name+": network_interface is left out: in Bifrost it is a NIC")
			delete(host, "network_interface")
		}
		if _, set := host["instance_info"]; set {
			notes = append(notes, name+": instance_info is left out: in Bifrost it is a deployment")
			delete(host, "instance_info")
		}
		var nics []enroll.Port
		for _, p := range n.AllPorts() {
			nic := maps.Clone(p)
			nic["mac"] = nic["address"]
			delete(nic, "address")
			nics = append(nics, nic)
		}
		if len(nics) > 0 {
			host["nics"] = nics
		}
		if len(n.Traits) > 0 {
			host["traits"] = n.Traits
		}
		for _, g := range n.Portgroups {
			notes = append(notes, fmt.Sprintf("%s: port group %s is left out, but its ports are included", name, models.TextOf(g.Fields["name"])))
		}
		hosts[name] = host
	}
	return notes, writeYAML(w, hosts)
}

// writeCSV writes a spreadsheet. Each node field and each port field that occurs has a column.
func writeCSV(w io.Writer, nodes []enroll.Node) (notes []string, err error) {
	columns := map[string]bool{}
	rows := make([]map[string]string, len(nodes))
	for i := range nodes {
		row, left := csvRow(&nodes[i])
		rows[i], notes = row, append(notes, left...)
		for column := range row {
			columns[column] = true
		}
	}
	first := []string{"name", "uuid", "driver"}
	header := slices.DeleteFunc(slices.Clone(first), func(c string) bool { return !columns[c] })
	for _, c := range slices.Sorted(maps.Keys(columns)) {
		if !slices.Contains(first, c) {
			header = append(header, c)
		}
	}
	records := [][]string{header}
	for _, row := range rows {
		cells := make([]string, len(header))
		for k, c := range header {
			cells[k] = row[c]
		}
		records = append(records, cells)
	}
	return notes, csv.NewWriter(w).WriteAll(records)
}

// csvRow returns the cells for a node, by column, and notes about values that a cell cannot represent.
func csvRow(n *enroll.Node) (row map[string]string, notes []string) {
	row = map[string]string{}
	left := func(format string, args ...any) {
		notes = append(notes, n.Label()+": "+fmt.Sprintf(format, args...))
	}
	set := func(column, key string, value any) {
		if checkField(column) != "" || !isPath(column) {
			left("%s is left out: not supported in CSV", column)
			return
		}
		if _, is := value.(string); !is && isText(key) {
			left("%s is written as text", column)
		}
		row[column] = cellOf(key, value)
	}
	for field, value := range body(n) {
		object, isObject := value.(map[string]any)
		switch {
		case field == "network_data":
			left("network_data is left out: not supported in CSV")
		case isObject:
			for _, key := range slices.Sorted(maps.Keys(object)) {
				if strings.Contains(key, ".") {
					left("%s.%s is left out: not supported in CSV", field, key)
					continue
				}
				set(field+"."+key, key, object[key])
			}
		default:
			row[field] = fmt.Sprint(value)
		}
	}
	if len(n.Traits) > 0 {
		row["traits"] = strings.Join(n.Traits, " ")
	}
	for i, p := range n.AllPorts() {
		for _, field := range slices.Sorted(maps.Keys(p)) {
			column := fmt.Sprintf("port%d.%s", i+1, field)
			object, isObject := p[field].(map[string]any)
			if !isObject {
				row[column] = fmt.Sprint(p[field])
			}
			for _, key := range slices.Sorted(maps.Keys(object)) {
				set(column+"."+key, key, object[key])
			}
		}
	}
	for _, g := range n.Portgroups {
		left("port group %s is left out, but its ports are included", models.TextOf(g.Fields["name"]))
	}
	return row, notes
}

// cellOf returns a value of an object as a cell: text as is unless it would be read as another type, or else JSON.
func cellOf(key string, value any) string {
	text, is := value.(string)
	asIs := enroll.IsSecret(key) || text != "" && text == strings.TrimSpace(text) && cellValue(key, text) == any(text)
	if is && asIs {
		return text
	}
	raw, err := json.Marshal(value)
	if err != nil {
		return fmt.Sprint(value)
	}
	return string(raw)
}
