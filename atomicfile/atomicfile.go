// Package atomicfile replaces files, so that a reader sees either the old or the new content, even if the writer is
// interrupted.
package atomicfile

import (
	"errors"
	"os"
	"path/filepath"
)

// Replace replaces the file at path, or creates it. The file has mode 0600 afterward; its folder must exist. Each
// call writes to a temporary file in that folder, whose name starts with a dot, so the last of several concurrent
// writers wins. A power failure may lose the change.
func Replace(path string, content []byte) error {
	fresh, err := os.CreateTemp(filepath.Dir(path), ".new-*")
	if err != nil {
		return err
	}
	_, err = fresh.Write(content)
	err = errors.Join(err, fresh.Close())
	if err == nil {
		err = os.Rename(fresh.Name(), path)
	}
	if err != nil {
		return errors.Join(err, os.Remove(fresh.Name()))
	}
	return nil
}
