package serve

import (
	"context"
	"errors"
	"fmt"
	"io"
	"regexp"
	"time"

	"ironworks/printable"
)

// Kind is the kind of an item.
type Kind string

// The kinds of items.
const (
	ISO      Kind = "iso"
	Kernel   Kind = "kernel"
	Initrd   Kind = "initrd"
	Rootfs   Kind = "rootfs"
	Ignition Kind = "ignition"
	// Agent is the program that speaks to Ironic.
	Agent Kind = "agent"
)

// contentType returns the media type of items of the kind.
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

// Item is a file or stream to serve.
type Item struct {
	// Node is the name of the node that the item is for, or "" for all nodes.
	Node string
	// Name is the last part of the URL: letters, digits, dots, dashes and underscores. BMCs
	// require the suffix ".iso" for images.
	Name string
	Kind Kind
	// Open opens the content for one request. It must be fast, because the client waits. The
	// kernel sends an *os.File. All calls must return the same bytes while the item is served.
	Open func(ctx context.Context) (io.ReadSeekCloser, error)
	// Modified is the time of the content. Clients compare it when they resume, and conductors
	// cache an image while it is unchanged. The zero value sends no time.
	Modified time.Time
	// Until is the time when the URL expires. The zero value never expires.
	Until time.Time
}

// itemName excludes slashes, and characters that URLs escape.
var itemName = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._-]{0,127}$`)

func (i Item) check() error {
	switch {
	case !itemName.MatchString(i.Name):
		return fmt.Errorf("serve %q: use only letters, digits, dots, dashes and underscores in a name", printable.Line(i.Name))
	case i.Open == nil:
		return fmt.Errorf("serve %s: %w", i.Name, errors.New("nothing to open"))
	}
	switch i.Kind {
	case ISO, Kernel, Initrd, Rootfs, Ignition, Agent:
		return nil
	}
	return fmt.Errorf("serve %s: unknown kind of item %q", i.Name, printable.Line(string(i.Kind)))
}

// secret reports whether caches must not store the item: configurations, and items for one
// node. Ironic's conductors honor this too, and do not fill their cache with an image per node
// (HttpImageService.show in ironic/common/image_service.py).
func (i Item) secret() bool { return i.Kind == Ignition || i.Node != "" }
