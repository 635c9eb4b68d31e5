package hints

import (
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"strings"
)

// Disk is a block device in an inventory. An attribute may have several values; for example, the agent reports up to
// three serial numbers. A string field holds all values of its attribute, separated by ", ". Hints are compared with
// the values as reported, which may be of any type.
type Disk struct {
	Name               string `json:"name"`
	Size               int64  `json:"size"` // in bytes
	Model              string `json:"model"`
	Vendor             string `json:"vendor"`
	Serial             string `json:"serial"`
	WWN                string `json:"wwn"`
	WWNWithExtension   string `json:"wwn_with_extension"`
	WWNVendorExtension string `json:"wwn_vendor_extension"`
	// Rotational is nil if not reported.
	Rotational *bool  `json:"rotational"`
	HCTL       string `json:"hctl"`
	ByPath     string `json:"by_path"`
	Transport  string `json:"tran"`

	reported *PythonDict
}

var errNoDisk = errors.New("a disk is not an object")

// UnmarshalJSON parses a disk in the form in which the agent reports it. Unknown fields are kept, but have no effect.
func (d *Disk) UnmarshalJSON(raw []byte) error {
	v, err := DecodePython(raw)
	if err != nil {
		return err
	}
	reported, ok := v.(*PythonDict)
	if !ok {
		return errNoDisk
	}
	*d = newDisk(reported)
	return nil
}

// MarshalJSON encodes the disk as it was reported, including lists and nulls.
func (d Disk) MarshalJSON() ([]byte, error) { return jsonOf(d.report()), nil }

// report returns the disk as the agent reported it or, if it was not decoded from JSON, would report it.
func (d *Disk) report() *PythonDict {
	if d.reported != nil {
		return d.reported
	}
	made := &PythonDict{}
	text := func(name Hint, value string) {
		made.Set(string(name), nil)
		if value != "" {
			made.Set(string(name), value)
		}
	}
	text(Name, d.Name)
	made.Set(string(Size), PythonInt(strconv.FormatInt(d.Size, 10)))
	made.Set(string(Rotational), nil)
	if d.Rotational != nil {
		made.Set(string(Rotational), *d.Rotational)
	}
	text(Model, d.Model)
	text(Vendor, d.Vendor)
	text(Serial, d.Serial)
	text(WWN, d.WWN)
	text(WWNWithExtension, d.WWNWithExtension)
	text(WWNVendorExtension, d.WWNVendorExtension)
	text(HCTL, d.HCTL)
	text(ByPath, d.ByPath)
	text(Transport, d.Transport)
	return made
}

func newDisk(reported *PythonDict) Disk {
	d := Disk{reported: reported}
	d.Name, d.Model, d.Vendor = d.Attribute(Name), d.Attribute(Model), d.Attribute(Vendor)
	d.Serial, d.WWN = d.Attribute(Serial), d.Attribute(WWN)
	d.WWNWithExtension, d.WWNVendorExtension = d.Attribute(WWNWithExtension), d.Attribute(WWNVendorExtension)
	d.HCTL, d.ByPath, d.Transport = d.Attribute(HCTL), d.Attribute(ByPath), d.Attribute(Transport)
	if size, ok := PythonFloat(reported.Get("size")); ok {
		d.Size = int64(size)
		if whole, is := reported.Get("size").(PythonInt); is {
			if n, err := json.Number(whole).Int64(); err == nil {
				d.Size = n
			}
		}
	}
	if rotational, ok := PythonBool(reported.Get(string(Rotational))); ok {
		d.Rotational = &rotational
	}
	return d
}

// Attribute returns, as text, the attribute to which the named hint refers. It returns "" if the attribute was not
// reported. The size is in GiB, as in hints.
func (d *Disk) Attribute(name Hint) string {
	if text, ok := d.report().Get(string(name)).(string); ok {
		return text
	}
	return strings.Join(d.attributes(name), ", ")
}

// attributes returns the values of the named attribute as strings. Most attributes have at most one value.
func (d *Disk) attributes(name Hint) []string {
	v := d.report().Get(string(name))
	if name == Size {
		if bytes, ok := PythonFloat(v); ok {
			return []string{writtenFloat(bytes / GiB)}
		}
	}
	var texts []string
	list, ok := v.(PythonList)
	if !ok {
		list = PythonList{v}
	}
	for _, item := range list {
		if text := PythonStr(item); item != nil && text != "" {
			texts = append(texts, text)
		}
	}
	return texts
}

// GiB returns the size in GiB, the unit that hints use.
func (d *Disk) GiB() float64 { return float64(d.Size) / GiB }

// Kind returns "ssd" or "hdd", or "" if that was not reported.
func (d *Disk) Kind() string {
	switch {
	case d.Rotational == nil:
		return ""
	case *d.Rotational:
		return "hdd"
	}
	return "ssd"
}

// GiB is the number of bytes in a gibibyte.
const GiB = 1 << 30

// DecodeDisks parses the disks in an inventory. It accepts Ironic's response, the inventory contained in it, the
// agent's data, or just the list of disks.
func DecodeDisks(raw []byte) ([]Disk, error) {
	v, err := DecodePython(raw)
	if err != nil {
		return nil, fmt.Errorf("inventory: %w", err)
	}
	for _, name := range []string{"inventory", "disks"} {
		if d, ok := v.(*PythonDict); ok && d.Has(name) {
			v = d.Get(name)
		}
	}
	list, ok := v.(PythonList)
	if !ok {
		return nil, fmt.Errorf("inventory: it has no list of disks")
	}
	return disksOf(list)
}

func disksOf(list PythonList) ([]Disk, error) {
	disks := make([]Disk, len(list))
	for i, item := range list {
		reported, ok := item.(*PythonDict)
		if !ok {
			return nil, fmt.Errorf("inventory: %w", errNoDisk)
		}
		if inner, wrapped := reported.values["disk"].(*PythonDict); wrapped { // the output format of ironworks disks -o json
			reported = inner
		}
		disks[i] = newDisk(reported)
	}
	return disks, nil
}
