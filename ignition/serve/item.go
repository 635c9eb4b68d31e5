package serve

import (
	"context"
	"io"
	"regexp"
	"time"
)

// Kind says what an item contains, for example an ISO or a kernel.
type Kind string

// These are the supported kinds of items.
const (
	ISO      Kind = "iso"
	Kernel   Kind = "kernel"
	Initrd   Kind = "initrd"
	Rootfs   Kind = "rootfs"
	Ignition Kind = "ignition"
	// Agent is the program that communicates with Ironic.
	Agent Kind = "agent"
)

func (k Kind) contentType() string {
	switch k {
	case ISO:
		return "application/x-iso9660-image"
	case Ignition:
		return "application/vnd.coreos.ignition+json"
	case Kernel, Initrd, Rootfs, Agent:
	}
	return "application/octet-stream"
}

// Item is a file or stream that the server serves.
type Item struct {
	// Node is the name of the node that the item is for. It is empty if the item is for all nodes.
	Node string
	// Name is the last element of the URL's path. It may contain letters, digits, dots, dashes and underscores. BMCs
	// require the suffix ".iso" for images.
	Name string
	Kind Kind
	// Open opens the content for one request. It must be fast, because the client is waiting. The kernel sends an
	// *os.File efficiently. All calls must return the same bytes as long as the item is served.
	Open func(ctx context.Context) (io.ReadSeekCloser, error)
	// Modified is the modification time of the content. Clients compare it when they resume a download, and
	// conductors cache an image until it changes. If it is zero, no time is sent.
	Modified time.Time
}

// itemName matches valid names. They contain neither slashes nor characters that must be escaped in URLs.
var itemName = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._-]{0,127}$`)

// secret reports whether caches must not store the item. It is true for configurations and for all items of a single
// node. Ironic's conductors respect this too, so that separate images for each node do not fill their cache
// (HttpImageService.show in ironic/common/image_service.py).
func (i Item) secret() bool { return i.Kind == Ignition || i.Node != "" }
