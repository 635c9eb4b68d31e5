package machine

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
)

// device holds the data that lsblk shows for a block device.
type device struct {
	name, kind      string
	size            int64
	rotational      bool
	disk            Disk // the disk that has further attributes; zero for a partition
	fs              Filesystem
	partUUID, table string
	partName        string
	parents         []string
}

// devices returns all block devices that lsblk lists: each disk, followed by its partitions and the arrays on them.
// An array appears only once, after its first member. Called with mu held.
func (m *Machine) devices() []device {
	var all []device
	known := map[string]bool{}
	var add func(d *Disk, kind string)
	add = func(d *Disk, kind string) {
		if known[d.Name] {
			return
		}
		known[d.Name] = true
		all = append(all, device{name: d.Name, kind: kind, size: d.SizeBytes, rotational: d.Rotational, disk: *d, table: d.Table})
		for _, p := range d.Partitions {
			part := device{
				name: partitionName(d.Name, p.Number), kind: "part", size: p.Size, rotational: d.Rotational, fs: p.Filesystem,
				partUUID: p.UUID, partName: p.Name, parents: []string{d.Name},
			}
			if kind != "disk" {
				part.kind = "md"
			}
			all = append(all, part)
			for _, a := range m.arrays {
				if a.running && p.Array == a.UUID {
					add(&a.Disk, a.Kind())
				}
			}
		}
	}
	for i := range m.spec.Disks {
		add(&m.spec.Disks[i], "disk")
	}
	return all
}

// column returns the device's value in the named column of lsblk, or nil if it has none.
func (d device) column(name string) any {
	short := strings.TrimPrefix(d.name, "/dev/")
	value := map[string]any{
		"name": short, "kname": short, "type": d.kind, "size": d.size, "rota": d.rotational, "log-sec": 512, "phy-sec": 4096,
		"fstype": d.fs.Type, "label": d.fs.Label, "uuid": d.fs.FSID, "partuuid": d.partUUID, "partlabel": d.partName,
		"pttype": strings.Replace(d.table, msdos, "dos", 1), "model": d.disk.Model, "serial": d.disk.Serial, "wwn": d.disk.WWN,
	}[name]
	if value == "" {
		return nil
	}
	return value
}

// below returns the named device and all devices that are based on it.
func below(all []device, name string) []device {
	var found []device
	for i, d := range all {
		if d.name != name {
			continue
		}
		found = append(found, d)
		for _, next := range all[i+1:] {
			if next.kind == "disk" {
				break
			}
			// An array follows its first member.
			if d.kind == "disk" || slices.Contains(next.parents, name) {
				found = append(found, next)
			}
		}
	}
	return found
}

const allColumns = "name,kname,type,size,rota,fstype,label,uuid,partuuid,partlabel,pttype,model,serial,wwn"

// lsblk simulates lsblk. It supports the options --json, -P and --fs, and a list of columns.
func (m *Machine) lsblk(args []string) Output {
	all := m.devices()
	columns, asJSON, pairs, fs := "NAME,SIZE,TYPE", false, false, false
	for i := 0; i < len(args); i++ {
		switch a := args[i]; {
		case a == "--json":
			asJSON = true
		case a == "--fs":
			fs = true
		case a == "--pairs":
			pairs = true
		case a == "--output-all":
			columns = allColumns
		case a == "--output" && i+1 < len(args):
			i++
			columns = args[i]
		case strings.HasPrefix(a, "--"):
		case strings.HasPrefix(a, "-"):
			flags, given, _ := strings.Cut(a, "o")
			pairs = pairs || strings.Contains(flags, "P")
			if strings.Contains(a, "o") {
				if columns = given; given == "" && i+1 < len(args) {
					i++
					columns = args[i]
				}
			}
		default:
			if all = below(all, a); len(all) == 0 {
				// The device is not below an earlier argument.
				all = slices.DeleteFunc(m.devices(), func(d device) bool { return d.name != a })
			}
			if len(all) == 0 {
				return fails(32, "lsblk: %s: not a block device\n", a)
			}
		}
	}
	switch {
	case fs:
		return listFS(all)
	case asJSON:
		return listJSON(all, columns)
	}
	return listText(all, columns, pairs)
}

func listFS(all []device) Output {
	var b strings.Builder
	for _, d := range all {
		fmt.Fprintf(&b, "%s %s %s %s\n", strings.TrimPrefix(d.name, "/dev/"), d.fs.Type, d.fs.Label, d.fs.FSID)
	}
	return Output{Stdout: b.String()}
}

func listJSON(all []device, columns string) Output {
	list := make([]map[string]any, len(all))
	for i, d := range all {
		list[i] = map[string]any{}
		for c := range strings.SplitSeq(strings.ToLower(columns), ",") {
			list[i][c] = d.column(c)
		}
	}
	text, err := json.Marshal(map[string]any{"blockdevices": list})
	if err != nil {
		return fails(1, "lsblk: %v\n", err)
	}
	return Output{Stdout: string(text) + "\n"}
}

func listText(all []device, columns string, pairs bool) Output {
	var b strings.Builder
	for _, d := range all {
		for i, c := range strings.Split(columns, ",") {
			if i > 0 {
				b.WriteByte(' ')
			}
			value := ""
			switch v := d.column(strings.ToLower(c)).(type) {
			case nil:
			case bool:
				value = map[bool]string{true: "1", false: "0"}[v]
			default:
				value = fmt.Sprint(v)
			}
			if pairs {
				fmt.Fprintf(&b, "%s=%q", strings.ToUpper(c), value)
			} else {
				b.WriteString(value)
			}
		}
		b.WriteByte('\n')
	}
	return Output{Stdout: b.String()}
}

// blkid simulates blkid: it finds a partition by a tag, or prints one tag of a partition.
func (m *Machine) blkid(args []string) Output {
	device := ""
	tag, want, _ := strings.Cut(after(args, "-t"), "=")
	if tag == "" {
		tag = after(args, "-s")
	}
	if last := args[len(args)-1]; strings.HasPrefix(last, "/") {
		device = last
	}
	for _, d := range m.devices() {
		value, _ := d.column(strings.ToLower(tag)).(string)
		switch {
		case want != "" && value == want && (device == "" || slices.Contains(d.parents, device)):
			return Output{Stdout: fmt.Sprintf("%s: %s=%q\n", d.name, tag, value)}
		case want == "" && tag != "" && d.name == device && value != "":
			return Output{Stdout: value + "\n"}
		}
	}
	if tag == "" {
		return Output{}
	}
	return Output{Code: 2}
}
