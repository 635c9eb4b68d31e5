// Package atomicfile replaces files, so that a reader sees either the old or the new content, even if the writer is
// interrupted.
package atomicfile

import (
	"errors"
	"os"
	"path/filepath"
)

// Replace writes content to the file at path, which it creates or replaces. The file then has mode 0600. Its folder
// must exist and temporarily holds a second file, whose name starts with a dot. If several writers run concurrently,
// the last one wins. A power failure may lose the change.
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
