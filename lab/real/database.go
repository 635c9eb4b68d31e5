package real

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// SyncDatabase creates the tables of a service in the SQLite file at path, with temporary files in dir.
type SyncDatabase func(ctx context.Context, dir, path string) error

// CopyDatabase creates a new database at path. Because creating tables takes 2 s, sync creates them only once, in a
// template with the given name in env, the folder of the Python environment.
func CopyDatabase(ctx context.Context, env, name, path string, sync SyncDatabase) error {
	template := filepath.Join(env, name)
	content, err := os.ReadFile(template) //nolint:gosec // our own file
	if errors.Is(err, fs.ErrNotExist) {
		if err := makeTemplate(ctx, env, template, sync); err != nil {
			return fmt.Errorf("making the tables of the database: %w", err)
		}
		content, err = os.ReadFile(template) //nolint:gosec // our own file
	}
	if err != nil {
		return err
	}
	return os.WriteFile(path, content, 0o600) //nolint:gosec // in the folder of our own server
}

// makeTemplate creates a database with the tables and renames it to template, so that two processes may do so at once.
func makeTemplate(ctx context.Context, env, template string, sync SyncDatabase) error {
	dir, err := os.MkdirTemp(env, "database-")
	if err != nil {
		return err
	}
	defer func() { _ = os.RemoveAll(dir) }()
	path := filepath.Join(dir, filepath.Base(template))
	if err := sync(ctx, dir, path); err != nil {
		return err
	}
	if _, err := runScript(ctx, env, "wal.py", path); err != nil {
		return err
	}
	return os.Rename(path, template)
}

// makeDatabase creates the database of a server, or migrates an existing one.
func (s *Server) makeDatabase(ctx context.Context) error {
	path := filepath.Join(s.Dir, Database)
	switch _, err := os.Stat(path); {
	case errors.Is(err, fs.ErrNotExist):
		return CopyDatabase(ctx, s.venv, Database, path, s.createSchema)
	case err != nil:
		return err
	}
	return s.dbsync(ctx, s.Dir, s.configPath(), "upgrade")
}

// createSchema creates Ironic's tables in the database at path.
func (s *Server) createSchema(ctx context.Context, dir, path string) error {
	config := filepath.Join(dir, "ironic.conf")
	all := Settings{
		"DEFAULT":          {"host": "localhost", "state_path": dir},
		"database":         sqliteSettings(path),
		"oslo_concurrency": {"lock_path": dir},
	}
	if err := all.Write(config); err != nil {
		return err
	}
	return s.dbsync(ctx, dir, config, "create_schema")
}

func (s *Server) dbsync(ctx context.Context, dir, config, command string) error {
	return Run(ctx, dir, filepath.Join(dir, filepath.Base(s.Log())), filepath.Join(s.venv, "bin", "ironic-dbsync"), "--config-file", config, command)
}
