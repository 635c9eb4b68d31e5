package firstboot

import (
	"bufio"
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"strconv"
	"strings"
	"sync"
	"syscall"

	"github.com/coreos/ignition/v2/config/v3_6/types"
)

// Image models the root file system of an installed system before its first boot.
type Image struct {
	// Name is the name of the CoreOS family, or the path of the folder from which the image was read.
	Name string

	tree     *tree
	accounts *accounts
	debian   bool         // whether the image's useradd accepts almost any name, as in Debian
	base     types.Config // the base configuration of the image, into which Ignition merges the user's configuration
}

//go:embed images
var tables embed.FS

// Families returns the built-in CoreOS images. The images folder has their tables with source and date.
var Families = sync.OnceValue(func() []*Image {
	var families []*Image
	for _, f := range []struct{ name, file string }{
		{"Fedora CoreOS", "fedora-coreos.txt"},
		{"RHEL CoreOS", "rhel-coreos.txt"},
	} {
		i, err := readTables(f.name, "coreos.txt", f.file)
		if err != nil {
			panic(err) // cannot happen: the tables are embedded, and a test reads them
		}
		families = append(families, i)
	}
	return families
})

func readTables(name string, files ...string) (*Image, error) {
	i := newImage(name)
	for _, file := range files {
		text, err := tables.ReadFile(path.Join("images", file))
		if err != nil {
			return nil, err
		}
		scanner := bufio.NewScanner(strings.NewReader(string(text)))
		for n := 1; scanner.Scan(); n++ {
			if err := i.line(scanner.Text()); err != nil {
				return nil, fmt.Errorf("%s:%d: %w", file, n, err)
			}
		}
	}
	i.mount()
	return i, nil
}

func newImage(name string) *Image {
	root := &node{kind: directory, children: map[string]*node{}, volume: &volume{}, mode: 0o755, inode: new(int)}
	// Both families share the base configuration. It creates the core user (fedora-coreos-config,
	// overlay.d/05core/…/40ignition-conf/00-core.ign).
	gecos := "CoreOS Admin"
	base := types.Config{Ignition: types.Ignition{Version: types.MaxVersion.String()}}
	base.Passwd.Users = []types.PasswdUser{{Name: "core", Gecos: &gecos, Groups: []types.Group{"adm", "sudo", "systemd-journal", "wheel"}}}
	return &Image{Name: name, tree: &tree{root: root}, accounts: &accounts{users: map[string]account{}, groups: map[string]int{}}, base: base}
}

// Volumes lists the mount points of CoreOS, with parents before children. "/" and "/usr" are read-only.
var Volumes = []string{"/", "/boot", "/dev", "/etc", "/proc", "/run", "/sys", "/sysroot", "/usr", "/var"}

// Tables returns the images folder. Each line of its files is empty, is a comment that starts with "#", or has one of
// the forms "d PATH" (a directory), "f PATH" (a file), "l PATH TARGET" (a link), "passwd LINE" and "group LINE".
func Tables() fs.FS { return tables }

func (i *Image) line(text string) error {
	what, rest, _ := strings.Cut(strings.TrimSpace(text), " ")
	name, word, _ := strings.Cut(rest, " ")
	switch what {
	case "", "#":
		return nil
	case "d":
		return i.tree.mkdirs(name, fromInitramfs, 0, 0o755)
	case "f":
		return i.tree.create(name, &node{kind: file})
	case "l":
		return i.tree.create(name, &node{kind: symlink, target: word})
	case "passwd":
		return i.passwd(rest)
	case "group":
		return i.group(rest)
	}
	return fmt.Errorf("unknown word %q", what)
}

func (i *Image) passwd(line string) error {
	fields := strings.Split(line, ":")
	if len(fields) != 7 {
		return fmt.Errorf("%d fields, expected 7", len(fields))
	}
	uid, err := strconv.Atoi(fields[2])
	gid, gidErr := strconv.Atoi(fields[3])
	i.accounts.users[fields[0]] = account{uid: uid, gid: gid, home: fields[5]}
	return errors.Join(err, gidErr)
}

func (i *Image) group(line string) error {
	fields := strings.Split(line, ":")
	if len(fields) < 3 {
		return fmt.Errorf("%d fields, expected 4", len(fields))
	}
	gid, err := strconv.Atoi(fields[2])
	i.accounts.groups[fields[0]] = gid
	return err
}

// FromFolder reads the root file system of an unpacked or mounted image, for example the rootfs of a live ISO. The
// volumes that are read-only on CoreOS are read-only in the model too.
func FromFolder(root string) (*Image, error) {
	i := newImage(root)
	// os.Root ensures that links in the image do not lead out of the folder.
	folder, err := os.OpenRoot(root)
	if err != nil {
		return nil, fmt.Errorf("read the root of an image: %w", err)
	}
	defer func() { _ = folder.Close() }()
	err = fs.WalkDir(folder.FS(), ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil || name == "." {
			return err
		}
		return i.found(folder, name, d)
	})
	if err != nil {
		return nil, fmt.Errorf("read the root of an image: %w", err)
	}
	for name, parse := range map[string]func(line string) error{"passwd": i.passwd, "group": i.group} {
		text, err := folder.ReadFile(path.Join("etc", name))
		if err != nil {
			return nil, fmt.Errorf("read the root of an image: %w", err)
		}
		for line := range strings.Lines(string(text)) {
			if err := parse(strings.TrimSpace(line)); err != nil {
				return nil, fmt.Errorf("reading /etc/%s of the image: %w", name, err)
			}
		}
	}
	if release, err := folder.ReadFile("usr/lib/os-release"); err == nil && strings.Contains("\n"+string(release), "\nID=debian") {
		i.debian = true
	}
	i.mount()
	return i, nil
}

// mount assigns the directories in Volumes, with their content, to separate volumes.
func (i *Image) mount() {
	for _, name := range Volumes {
		if n, err := i.tree.lookup(name, fromInitramfs, false); err == nil && n.kind == directory {
			n.mounted(&volume{readOnly: name == "/" || name == "/usr"})
		}
	}
}

func (n *node) mounted(v *volume) {
	n.volume = v
	for _, child := range n.children {
		child.mounted(v)
	}
}

func (i *Image) found(folder *os.Root, name string, d fs.DirEntry) error {
	n := &node{kind: file}
	info, err := d.Info()
	if err != nil {
		return err
	}
	switch {
	case d.IsDir():
		n.kind, n.mode = directory, int(info.Mode().Perm())
		if stat, ok := info.Sys().(*syscall.Stat_t); ok {
			n.uid = int(stat.Uid)
		}
	case info.Mode()&fs.ModeSymlink != 0:
		n.kind = symlink
		if n.target, err = folder.Readlink(name); err != nil {
			return err
		}
	}
	return i.tree.create("/"+name, n)
}
