package userdata

import (
	"encoding/json"
	"fmt"
	"strings"
)

// machineConfig checks the configuration inside an OpenShift MachineConfig, with positions in the MachineConfig.
func (c *checker) machineConfig(d detected) {
	s := documentScope(d.root)
	c.findings(s, d.findings)
	if d.root == nil || c.errors > 0 {
		return
	}
	root := d.root.down("spec", "config")
	if root == nil || root.kind != elementObject {
		c.add(s, IDNotIgnition, elementPath{"spec"}, "the MachineConfig has no spec.config, so it contains no Ignition configuration")
		return
	}
	c.add(s, IDMachineConfig, elementPath{"kind"}, "a MachineConfig, which only OpenShift reads: only its spec.config is checked and sent")
	c.droppedFields(s, d.root.member("spec"))
	var text strings.Builder
	writeJSON(&text, root)
	inner := &scope{own: true, locate: func(path elementPath, key bool) (string, place) {
		in := append(elementPath{"spec", "config"}, path...)
		return in.String(), placeIn(d.root, in, key)
	}}
	data := []byte(text.String())
	c.effective(inner, data, root)
	c.config = data
}

// droppedFields reports fields that would get lost, because only OpenShift's Machine Config Operator applies them.
func (c *checker) droppedFields(s *scope, spec *element) {
	for _, field := range spec.children {
		empty := field.kind == elementNull || field.text == "" && len(field.children) == 0 || field.kind == elementBool && field.text == "false"
		if field.key == "config" || empty {
			continue
		}
		hint := "leave it to OpenShift"
		if field.key == "kernelArguments" {
			hint = "since spec 3.3, use the configuration's kernelArguments.shouldExist"
		}
		c.addKey(s, IDMachineConfigFields, elementPath{"spec", field.key}, fmt.Sprintf("spec.%s is only for OpenShift's operator and will not be sent: %s", quoted(field.key), hint))
	}
}

// writeJSON writes e as JSON. The size of the document has already been limited.
func writeJSON(b *strings.Builder, e *element) {
	str := func(s string) {
		raw, _ := json.Marshal(s) // a string is always valid
		b.Write(raw)
	}
	switch e.kind {
	case elementNull:
		b.WriteString("null")
	case elementNumber, elementBool:
		if json.Valid([]byte(e.text)) {
			b.WriteString(e.text)
		} else {
			b.WriteString("null")
		}
	case elementString:
		str(e.text)
	case elementObject, elementArray:
		brackets := "[]"
		if e.kind == elementObject {
			brackets = "{}"
		}
		b.WriteByte(brackets[0])
		for i, child := range e.children {
			if i > 0 {
				b.WriteByte(',')
			}
			if e.kind == elementObject {
				str(child.key)
				b.WriteByte(':')
			}
			writeJSON(b, child)
		}
		b.WriteByte(brackets[1])
	}
}
