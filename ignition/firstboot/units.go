package firstboot

import (
	"errors"
	"fmt"
	"path"

	"github.com/coreos/ignition/v2/config/v3_6/types"
)

const (
	unitsPath  = "/etc/systemd/system"
	presetPath = "/etc/systemd/system-preset/20-ignition.preset"
)

// unit predicts whether Ignition can write, mask or unmask a unit, and write its drop-ins. It replaces files.
func (s *stage) unit(u types.Unit) bool {
	for i, d := range u.Dropins {
		if d.Contents == nil {
			continue
		}
		if err := s.write(path.Join(unitsPath, u.Name+".d"), d.Name); err != nil {
			return s.failAt(Units, u.Name, fmt.Sprintf("dropins.%d.name", i), unitsPath, err)
		}
	}
	if value(u.Contents) != "" {
		if err := s.write(unitsPath, u.Name); err != nil {
			return s.failAt(Units, u.Name, "name", unitsPath, err)
		}
	}
	if u.Mask == nil {
		return true
	}
	if err := s.mask(u.Name, *u.Mask); err != nil {
		return s.failAt(Units, u.Name, "mask", unitsPath, err)
	}
	return true
}

func (s *stage) write(folder, name string) error {
	where, err := s.tree.join(path.Join(folder, name))
	if err != nil {
		return err
	}
	return s.tree.replace(where, &node{kind: file})
}

func (s *stage) mask(name string, masked bool) error {
	where, err := s.tree.join(path.Join(unitsPath, name))
	if err != nil {
		return err
	}
	if !masked {
		if _, err := s.tree.lookup(where, fromInitramfs, false); !errors.Is(err, errNotExist) {
			return err
		}
		return nil
	}
	if err := s.tree.mkdirs(path.Dir(where), fromInitramfs, 0, 0o755); err != nil {
		return err
	}
	if err := s.tree.remove(where); err != nil {
		return err
	}
	return s.tree.create(where, &node{kind: symlink, target: "/dev/null"})
}

// presets predicts whether Ignition can write the preset file, which enables and disables units.
func (s *stage) presets(units []types.Unit) {
	for _, u := range units {
		if u.Enabled == nil {
			continue
		}
		n, err := s.tree.lookup(presetPath, fromInitramfs, true)
		if err == nil && n.kind == directory {
			err = errIsDir
		} else if err != nil {
			err = s.tree.mkdirs(path.Dir(presetPath), fromInitramfs, 0, 0o755)
		}
		if err != nil {
			s.failAt(Units, u.Name, "enabled", presetPath, err)
			return
		}
	}
}
