package plan

import "ironworks/models"

// BootKind is the role of a file that a machine boots.
type BootKind string

// The kinds of boot files.
const (
	BootISO     BootKind = "ISO"
	BootKernel  BootKind = "kernel"
	BootRamdisk BootKind = "ramdisk"
)

// BootFile is a file that nodes boot, with the answer of its server to this machine. Conductors and BMCs may get
// another answer.
type BootFile struct {
	Kind BootKind
	// Field is the name of the node's field; Address is its value, which may hold secrets.
	Field, Address string
	// Nodes is the number of nodes with the file.
	Nodes int

	// Asked means that the file's server was asked.
	Asked  bool
	Answer WebAnswer
	// Head is the start of the file. Total is the size of the file in bytes, -1 if unknown.
	Head  []byte
	Total int64
}

// OnTheWeb reports whether the file is on a web server.
func (b *BootFile) OnTheWeb() bool { return isWeb(b.Address) }

// BootFiles returns the boot files of the node for a deployment: an ISO, or a kernel with its ramdisk, or nothing. In
// old drivers, the names of the fields have prefixes.
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
