package machine

import (
	"cmp"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/google/uuid"
)

// parted simulates parted. It runs the commands in order and stops at the first one that fails.
func (m *Machine) parted(args []string) Output {
	var words []string
	for i := 0; i < len(args); i++ {
		switch args[i] {
		case "-s", "-m", "--":
		case "-a":
			i++
		default:
			words = append(words, args[i])
		}
	}
	if len(words) == 0 {
		return fails(1, "Error: No device found\n")
	}
	d, err := m.disk(words[0])
	if err != nil {
		return fails(1, "Error: Could not stat device %s - No such file or directory.\n", words[0])
	}
	p := partedRun{machine: m, disk: d, unit: "MB"}
	for p.words = words[1:]; len(p.words) > 0; {
		if out := p.command(); out.Code != 0 {
			return out
		}
	}
	return Output{Stdout: p.out.String()}
}

type partedRun struct {
	machine *Machine
	disk    *Disk
	unit    string
	words   []string
	out     strings.Builder
}

func (r *partedRun) next() string {
	if len(r.words) == 0 {
		return ""
	}
	word := r.words[0]
	r.words = r.words[1:]
	return word
}

func (r *partedRun) command() Output {
	d := r.disk
	switch word := r.next(); word {
	case "unit":
		r.unit = r.next()
	case "mklabel":
		r.machine.clear(d)
		d.Table = r.next()
	case "mkpart":
		return r.makePartition()
	case "set":
		number, flag, state := r.next(), r.next(), r.next()
		for i := range d.Partitions {
			if p := &d.Partitions[i]; strconv.Itoa(p.Number) == number && state == "on" && !slices.Contains(p.Flags, flag) {
				p.Flags = append(p.Flags, flag)
			}
		}
	case "rm":
		number := r.next()
		before := len(d.Partitions)
		d.Partitions = slices.DeleteFunc(d.Partitions, func(p Partition) bool { return strconv.Itoa(p.Number) == number })
		if len(d.Partitions) == before {
			return fails(1, "Error: Partition doesn't exist.\n")
		}
		r.machine.dropArrays()
	case "print":
		if d.Table == "" {
			return fails(1, "Error: %s: unrecognised disk label\n", d.Name)
		}
		r.print()
	default:
		return fails(1, "parted: invalid token: %s\n", word)
	}
	return Output{}
}

var location = regexp.MustCompile(`^(-?)(\d+(?:\.\d+)?)(s|B|MiB|GiB|MB|GB|%)?$`)

// locate converts a location on the disk to bytes. A negative location counts from the end of the disk.
func (r *partedRun) locate(text string) (int64, bool) {
	found := location.FindStringSubmatch(text)
	if found == nil {
		return 0, false
	}
	value, err := strconv.ParseFloat(found[2], 64)
	if err != nil {
		return 0, false
	}
	factor := map[string]float64{
		"s": 512, "B": 1, "MiB": mib, "GiB": gib, "MB": 1e6, "GB": 1e9, "%": float64(r.disk.SizeBytes) / 100,
	}[cmp.Or(found[3], r.unit)]
	bytes := int64(value * factor)
	if found[1] == "-" {
		bytes = r.disk.SizeBytes - bytes
	}
	return bytes / mib * mib, true
}

func (r *partedRun) makePartition() Output {
	d := r.disk
	if d.Table == "" {
		return fails(1, "Error: %s: unrecognised disk label\n", d.Name)
	}
	kind := r.next()
	first := r.next()
	if _, ok := r.locate(first); !ok {
		first = r.next() // the previous argument was the type of a file system
	}
	last := r.next()
	start, ok := r.locate(first)
	end, fine := r.locate(last)
	if !ok || !fine {
		return fails(1, "parted: invalid token: %s\n", first)
	}
	for text, at := range map[string]int64{first: start, last: end} {
		if at > d.SizeBytes || at < 0 {
			return fails(1, "Error: The location %s is outside of the device %s.\n", text, d.Name)
		}
	}
	start = max(start, mib)
	if end <= start {
		return fails(1, "Error: Unable to satisfy all constraints on the partition.\n")
	}
	p := Partition{Start: start, Size: end - start, UUID: uuid.NewString()}
	if d.Table == gpt {
		p.Name = kind
	}
	return d.addPartition(p)
}

// addPartition adds a partition with the lowest free number. It fails if the partition overlaps another one.
func (d *Disk) addPartition(p Partition) Output {
	for _, other := range d.Partitions {
		if p.Start < other.Start+other.Size && other.Start < p.Start+p.Size {
			return fails(1, "Error: Unable to satisfy all constraints on the partition.\n")
		}
	}
	p.Number = firstFree(func(n int) bool {
		return slices.ContainsFunc(d.Partitions, func(other Partition) bool { return other.Number == n })
	})
	d.Partitions = append(d.Partitions, p)
	slices.SortFunc(d.Partitions, func(a, b Partition) int { return a.Number - b.Number })
	return Output{}
}

// print simulates parted's print command. The output is machine-readable, in MiB.
func (r *partedRun) print() {
	d := r.disk
	size := func(bytes int64) string { return fmt.Sprintf("%.2fMiB", float64(bytes)/mib) }
	fmt.Fprintf(&r.out, "BYT;\n%s:%s:scsi:512:4096:%s:%s:;\n", d.Name, size(d.SizeBytes), d.Table, strings.TrimSpace(d.Vendor+" "+d.Model))
	for _, p := range d.Partitions {
		fs := p.Type
		switch fs {
		case "vfat":
			fs = "fat32"
		case raidMember, "swap", "iso9660":
			fs = "" // parted does not know the type, or its callers cannot parse it
		}
		fmt.Fprintf(&r.out, "%d:%s:%s:%s:%s:%s:%s;\n", p.Number, size(p.Start), size(p.Start+p.Size), size(p.Size), fs, p.Name, strings.Join(p.Flags, ", "))
	}
}

// sgdisk simulates sgdisk: it wipes the partition table, prints the first free sector, or creates a partition.
func (m *Machine) sgdisk(args []string) Output {
	device := args[len(args)-1]
	d, err := m.disk(device)
	if err != nil {
		if _, p := m.partition(device); p != nil {
			return Output{}
		}
		return fails(2, "Problem opening %s for reading! Error is 2.\nThe specified file does not exist!\n", device)
	}
	switch {
	case slices.Contains(args, "-Z"):
		m.clear(d)
	case slices.Contains(args, "-F"):
		return Output{Stdout: fmt.Sprintf("%d\n", d.firstFree(mib)/512)}
	case slices.Contains(args, "-n"):
		p := d.requested(after(args, "-n"))
		_, p.Name, _ = strings.Cut(after(args, "-c"), ":")
		if strings.HasSuffix(after(args, "-t"), "ef00") {
			p.Flags = []string{"boot", "esp"}
		}
		if out := d.addPartition(p); out.Code != 0 {
			return fails(4, "Could not create partition from %d\nError encountered; not saving changes.\n", p.Start/512)
		}
	}
	return Output{}
}

// requested parses NUMBER:STARTs:+SIZEMiB, a new partition. A start or size that is not a number is replaced by 1 MiB.
func (d *Disk) requested(what string) Partition {
	fields := strings.Split(what, ":")
	p := Partition{UUID: uuid.NewString(), Start: mib, Size: mib}
	if len(fields) == 3 {
		if sector, err := strconv.ParseInt(strings.TrimSuffix(fields[1], "s"), 10, 64); err == nil {
			p.Start = sector * 512
		}
		if size, err := strconv.ParseInt(strings.Trim(fields[2], "+MiB"), 10, 64); err == nil {
			p.Size = size * mib
		}
	}
	return p
}

// firstFree returns the offset of the first unallocated byte at or after the given offset.
func (d *Disk) firstFree(from int64) int64 {
	for again := true; again; {
		again = false
		for _, p := range d.Partitions {
			if from >= p.Start && from < p.Start+p.Size {
				from, again = p.Start+p.Size, true
			}
		}
	}
	return from
}
