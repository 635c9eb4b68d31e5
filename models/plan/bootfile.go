package plan

import "ironworks/models"

// BootKind is the role of a file from which a machine boots.
type BootKind string

// The kinds of boot files.
const (
	BootISO     BootKind = "ISO"
	BootKernel  BootKind = "kernel"
	BootRamdisk BootKind = "ramdisk"
)

// BootFile is a file from which nodes boot, together with the response that this machine got from the file's web
// server. Conductors and BMCs may get a different response.
type BootFile struct {
	Kind BootKind
	// Field is the name of the node's field, and Address is its value. Address may contain secrets.
	Field, Address string
	// Nodes is the number of nodes that use the file.
	Nodes int

	// Asked reports whether the file was requested from its server.
	Asked  bool
	Answer WebAnswer
	// Head is the beginning of the file. Total is its size in bytes, or -1 if unknown.
	Head  []byte
	Total int64
}

// OnTheWeb reports whether the file is on a web server.
func (b *BootFile) OnTheWeb() bool { return isWeb(b.Address) }

// BootFiles returns the files from which the node boots for a deployment: either an ISO, or a kernel and a ramdisk,
// or nothing. It also considers the fields of old drivers, whose names have prefixes.
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
