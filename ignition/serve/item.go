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

// Kind is what an item is.
type Kind string

// The kinds.
const (
	ISO      Kind = "iso"
	Kernel   Kind = "kernel"
	Initrd   Kind = "initrd"
	Rootfs   Kind = "rootfs"
	Ignition Kind = "ignition"
)

// contentType is the media type that a client is told.
func (k Kind) contentType() string {
	switch k {
	case ISO:
		return "application/x-iso9660-image"
	case Ignition:
		return "application/vnd.coreos.ignition+json"
	case Kernel, Initrd, Rootfs:
	}
	return "application/octet-stream"
}

// Item is something that is served.
type Item struct {
	// Node names the node that it is for; empty is for all of them.
	Node string
	// Name ends its address: BMCs want an image's to end in ".iso". Letters, digits,
	// dots, dashes and underscores.
	Name string
	Kind Kind
	// Open gives the content anew for every request, and must be fast: the client
	// waits. An *os.File is sent by the kernel. All of them must be the same bytes as
	// long as the item is served.
	Open func(ctx context.Context) (io.ReadSeekCloser, error)
	// Modified is when the content was made; clients that go on after an interruption
	// check it, and conductors keep an image as long as it stays. Zero is not told.
	Modified time.Time
	// Until is when the address ends to be one; zero is with the server.
	Until time.Time
}

// itemName has no slash and nothing that would be escaped in an address.
var itemName = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._-]{0,127}$`)

func (i Item) check() error {
	switch {
	case !itemName.MatchString(i.Name):
		return fmt.Errorf("serve %q: use only letters, digits, dots, dashes and underscores in a name", printable.Line(i.Name))
	case i.Open == nil:
		return fmt.Errorf("serve %s: %w", i.Name, errors.New("nothing to open"))
	}
	switch i.Kind {
	case ISO, Kernel, Initrd, Rootfs, Ignition:
		return nil
	}
	return fmt.Errorf("serve %s: unknown kind of item %q", i.Name, printable.Line(string(i.Kind)))
}

// secret says that nobody on the way may keep a copy: a configuration, and what was
// made for one node. Ironic's conductors heed it too and do not fill their cache with
// an image for each node (HttpImageService.show in ironic/common/image_service.py).
func (i Item) secret() bool { return i.Kind == Ignition || i.Node != "" }
