package plan

import "ironworks/models"

// BootKind is what a machine boots a file as.
type BootKind string

// The kinds.
const (
	BootISO     BootKind = "ISO"
	BootKernel  BootKind = "kernel"
	BootRamdisk BootKind = "ramdisk"
)

// BootFile is something that Ironic boots machines from, and what its server said to this
// machine: conductors and BMCs stand elsewhere.
type BootFile struct {
	Kind BootKind
	// Field is where the node has it; Address is what stands there, which may hold secrets.
	Field, Address string
	// Nodes is how many have it.
	Nodes int

	// Asked says that its server was.
	Asked  bool
	Answer WebAnswer
	// Head is what the file begins with, Total its size in bytes, -1 where it was not said.
	Head  []byte
	Total int64
}

// OnTheWeb says that a web server has it, which can be asked.
func (b *BootFile) OnTheWeb() bool { return isWeb(b.Address) }

// BootFiles are what the node has to boot a ramdisk for a deployment: an ISO, or a kernel
// with its ramdisk, or nothing. Old drivers have prefixes of their own.
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
