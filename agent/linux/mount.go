package linux

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"ironworks/agent"
)

// mount is a mounted file system together with the list of the files that it contained when it was mounted.
type mount struct {
	folder string
	files  []agent.File
}

// Mount mounts a device and returns its files and folders without their contents.
func (m *Machine) Mount(ctx context.Context, device string) ([]agent.File, error) {
	h := m.host
	folder, err := os.MkdirTemp(h.path("/tmp"), "mount-*")
	if err != nil {
		return nil, fmt.Errorf("mounting %s: %w", device, err)
	}
	if _, err := h.program(ctx, "mount", device, h.pathInRoot(folder)); err != nil {
		_ = os.Remove(folder)
		failed, ok := errors.AsType[*ProgramError](err)
		if !ok {
			return nil, err
		}
		text := strings.TrimSpace(failed.Output.Stderr)
		return nil, &agent.MountError{Text: strings.TrimPrefix(text, "mount: "+h.pathInRoot(folder)+": ")}
	}
	files, err := listFiles(folder)
	m.mu.Lock()
	defer m.mu.Unlock()
	m.mounts[device] = mount{folder: folder, files: files}
	return slices.Clone(files), err
}

// listFiles returns all files and folders below folder. Their paths are relative to folder.
func listFiles(folder string) ([]agent.File, error) {
	var files []agent.File
	err := filepath.WalkDir(folder, func(name string, entry fs.DirEntry, err error) error {
		if err != nil || name == folder {
			return err
		}
		relative, err := filepath.Rel(folder, name)
		if err != nil {
			return err
		}
		info, err := entry.Info()
		if err != nil {
			return err
		}
		files = append(files, agent.File{Path: relative, Folder: entry.IsDir(), Mode: int(info.Mode().Perm())})
		return nil
	})
	return files, err
}

// Unmount makes the file system contain the given files, writing those with content, and unmounts it.
func (m *Machine) Unmount(ctx context.Context, device string, files []agent.File) error {
	m.mu.Lock()
	on, mounted := m.mounts[device]
	delete(m.mounts, device)
	m.mu.Unlock()
	if !mounted {
		return fmt.Errorf("%s is not mounted", device)
	}
	err := on.apply(files)
	if _, failed := m.host.program(context.WithoutCancel(ctx), "umount", m.host.pathInRoot(on.folder)); failed != nil {
		return errors.Join(err, failed)
	}
	return errors.Join(err, os.Remove(on.folder))
}

func (o mount) apply(files []agent.File) error {
	root, err := os.OpenRoot(o.folder) // os.Root keeps symbolic links in the image from leading outside of it
	if err != nil {
		return err
	}
	defer func() { _ = root.Close() }()
	had, has := map[string]agent.File{}, map[string]bool{}
	for _, f := range o.files {
		had[f.Path] = f
	}
	for _, f := range files {
		has[f.Path] = true
		old, known := had[f.Path]
		if known && f.Content == nil && f.Mode == old.Mode && f.Owner == old.Owner && f.Group == old.Group {
			continue
		}
		if err := writeEntry(root, f); err != nil {
			return err
		}
	}
	for _, f := range o.files {
		if !f.Folder && !has[f.Path] {
			if err := root.Remove(f.Path); err != nil {
				return err
			}
		}
	}
	return nil
}

func writeEntry(root *os.Root, f agent.File) error {
	mode := fs.FileMode(f.Mode) //nolint:gosec // permissions
	if f.Folder {
		if err := root.Mkdir(f.Path, mode); err != nil && !errors.Is(err, os.ErrExist) {
			return err
		}
	} else if err := root.WriteFile(f.Path, f.Content, mode); err != nil {
		return err
	}
	// The mode must be set explicitly, because of the umask, and because an existing file keeps its old mode.
	if err := root.Chmod(f.Path, mode); err != nil {
		return err
	}
	if f.Owner == 0 && f.Group == 0 {
		return nil
	}
	return root.Chown(f.Path, f.Owner, f.Group)
}
