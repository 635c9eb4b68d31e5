package lab

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"net/url"
	"os"
	"path/filepath"

	"ironworks/ignition"
	"ironworks/ignition/image"
	"ironworks/ignition/sshkey"
	"ironworks/lab/vm"
)

// virtualFolder is the name of the subfolder for virtual machines in the lab's folder.
const virtualFolder = "vms"

// VirtualSetup holds everything that a lab of virtual machines needs before it starts.
type VirtualSetup struct {
	Options VirtualOptions
	// Key is the file of the private SSH key. It is empty if the ISO has its own configuration.
	Key string

	iso    *image.ISO
	line   string // the public key
	remove string // a temporary folder that Close removes
}

// OpenLiveISO opens an image for use as a deploy ramdisk.
func OpenLiveISO(path string) (*image.ISO, error) {
	iso, err := image.Open(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, errors.New("no such file")
	case err != nil:
		return nil, err
	}
	if _, err := iso.Kargs(); err != nil {
		_ = iso.Close()
		return nil, err
	}
	return iso, nil
}

// SetUpVirtual finds QEMU and prepares the folder of the machines. This folder is created in state, the folder of the
// lab's state. If state is empty, it is created in a temporary folder below cache. The returned VirtualSetup takes
// over the ISO and closes it. report is called with messages for the operator.
func SetUpVirtual(ctx context.Context, iso *image.ISO, options VirtualOptions, state, cache string, report func(text string)) (*VirtualSetup, error) {
	s := &VirtualSetup{Options: options, iso: iso}
	if err := s.setUp(ctx, state, cache, report); err != nil {
		s.Close()
		return nil, err
	}
	return s, nil
}

func (s *VirtualSetup) setUp(ctx context.Context, state, cache string, report func(string)) (err error) {
	report("looking for QEMU, firmware and KVM")
	if s.Options.Host, err = vm.FindHost(ctx, vm.HostOptions{}); err != nil {
		return err
	}
	if missing := s.Options.Host.NoKVM; missing != "" {
		report("no KVM: " + missing)
		report("the machines run without it, 10 to 20 times slower: expect 1 minute to the ramdisk's login, 2 to 3 minutes to the agent, 7 minutes for a deployment")
	}
	if state == "" {
		if err := os.MkdirAll(cache, 0o700); err != nil {
			return fmt.Errorf("making a folder for the virtual machines: %w", err)
		}
		if state, err = os.MkdirTemp(cache, "lab-"); err != nil {
			return fmt.Errorf("making a folder for the virtual machines: %w", err)
		}
		s.remove = state
	}
	s.Options.Dir = filepath.Join(state, virtualFolder)
	if err := os.MkdirAll(s.Options.Dir, 0o700); err != nil {
		return fmt.Errorf("making a folder for the virtual machines: %w", err)
	}
	if _, err := s.iso.Ignition(); err == nil {
		report(fmt.Sprintf("the ISO has an Ignition configuration, which is not changed: its agent must use Ironic at %s", vm.HostAddress))
		return nil
	}
	s.Key = filepath.Join(state, keyFile)
	s.line, err = keptKey(s.Key)
	return err
}

// Close closes the ISO, and removes the temporary folder, if there is one.
func (s *VirtualSetup) Close() {
	_ = s.iso.Close()
	if s.remove != "" {
		_ = os.RemoveAll(s.remove)
	}
}

// Ramdisk returns the deploy ISO. Unless it has its own configuration, it is configured for the given Ironic.
func (s *VirtualSetup) Ramdisk(ironic ignition.IronicEndpoint) (Image, error) {
	if s.Key == "" {
		return s.iso, nil
	}
	var rewritten bool
	ironic.URL, rewritten = guestURL(ironic.URL)
	if rewritten {
		ironic.Insecure = true // no certificate contains the host's address in user networking
	}
	r := ignition.NewRamdisk(ironic)
	r.SSHKeys = []sshkey.Key{{Line: s.line}}
	built, err := r.Build()
	if err != nil {
		return nil, fmt.Errorf("configuring the ramdisk: %w", err)
	}
	patch, err := s.iso.Edit(image.Change{Ignition: built.JSON})
	if err != nil {
		return nil, fmt.Errorf("configuring the ramdisk: %w", err)
	}
	return patch.Stream(s.iso)
}

// guestURL converts a URL of this computer so that virtual machines can use it. The conversion is necessary because
// virtual machines reach this computer at a different address. rewritten reports whether the URL has changed.
func guestURL(text string) (guest string, rewritten bool) {
	u, err := url.Parse(text)
	if err != nil {
		return text, false
	}
	ip := net.ParseIP(u.Hostname())
	if u.Hostname() != "localhost" && (ip == nil || !ip.IsLoopback() && !ip.IsUnspecified()) {
		return text, false
	}
	port := u.Port()
	u.Host = vm.HostAddress.String()
	if port != "" {
		u.Host = net.JoinHostPort(u.Host, port)
	}
	return u.String(), true
}

// VirtualFolders returns the sorted names of a stored lab's virtual machines, and a function for their folders.
func VirtualFolders(state string) (names []string, folder func(name string) string, err error) {
	entries, err := os.ReadDir(filepath.Join(state, virtualFolder))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, nil, fmt.Errorf("reading the lab: %w", err)
	}
	for _, e := range entries {
		if e.IsDir() {
			names = append(names, e.Name())
		}
	}
	return names, func(name string) string { return filepath.Join(state, virtualFolder, name) }, nil
}
