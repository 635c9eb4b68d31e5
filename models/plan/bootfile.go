package plan

import "ironworks/models"

// BootKind is the role of a file in a boot.
type BootKind string

// The kinds of boot files.
const (
	BootISO     BootKind = "ISO"
	BootKernel  BootKind = "kernel"
	BootRamdisk BootKind = "ramdisk"
)

// BootFile is a boot file of nodes, with the answer of its server to this machine; conductors and BMCs may get
// another.
type BootFile struct {
	Kind BootKind
	// Field is the node's field; Address its value, which may hold secrets.
	Field, Address string
	// Nodes is the number of nodes with the file.
	Nodes int

	// Asked: its server was asked.
	Asked  bool
	Answer WebAnswer
	// Head is the start of the file, Total its size in bytes, -1 if unknown.
	Head  []byte
	Total int64
}

// OnTheWeb reports whether the file is on a web server.
func (b *BootFile) OnTheWeb() bool { return isWeb(b.Address) }

// BootFiles returns the boot files of the node for a deployment: an ISO, or a kernel with its ramdisk, or nothing. Old
// drivers have prefixes.
func BootFiles(n *models.Node) []BootFile {
	file := func(kind BootKind, field string) BootFile {
		return BootFile{Kind: kind, Field: "driver_info." + field, Address: models.TextOf(n.DriverInfo[field]), Nodes: 1, Total: -1}
	}
	for _, field := range models.DeployISOFields() {
		if f := file(BootISO, field); f.Address != "" {
			return []BootFile{f}
		}
	}
	for _, pair := range models.DeployPairFields() {
		kernel, ramdisk := file(BootKernel, pair[0]), file(BootRamdisk, pair[1])
		if kernel.Address != "" && ramdisk.Address != "" {
			return []BootFile{kernel, ramdisk}
		}
	}
	return nil
}
