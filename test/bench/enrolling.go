package main

import (
	"bytes"
	"context"
	"database/sql"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	_ "modernc.org/sqlite"

	"ironworks/test/ironic"
)

// enrolling measures the time that it takes to enroll nodes from a file, each with a port, in an empty Ironic. It
// compares this time with that of one curl process that sends the same POST requests one after another. The program
// and curl take turns, and Ironic is emptied before each turn.
func enrolling(ctx context.Context, r ironic.Release, binary string, nodes, rounds int) error {
	s, err := ironic.Start(ctx, ironic.Options{Release: r, Settings: map[string]map[string]string{"conductor": {"sync_power_state_interval": "0"}}})
	if err != nil {
		return err
	}
	defer func() {
		s.Stop()
		_ = os.RemoveAll(s.Dir)
	}()
	curl, err := exec.LookPath("curl")
	if err != nil {
		return fmt.Errorf("the comparison needs curl: %w", err)
	}
	file, posts, err := enrollmentOf(s, nodes)
	if err != nil {
		return err
	}
	fmt.Printf("Ironic %s, empty\n", r.Version())
	db, err := database(s)
	if err != nil {
		return err
	}
	defer func() { _ = db.Close() }()
	measure := func(name string, args ...string) (time.Duration, error) {
		if err := emptied(ctx, db); err != nil {
			return 0, err
		}
		var messages bytes.Buffer
		took, _, err := timed(ctx, programEnv(s), &messages, name, args...)
		if err != nil {
			return 0, fmt.Errorf("%w\n%s", err, messages.Bytes()[:min(messages.Len(), 4096)])
		}
		return took, created(ctx, db, nodes)
	}
	var ours, theirs []time.Duration
	var ratios []float64
	for round := range rounds {
		var took [2]time.Duration
		for turn := range 2 {
			which := (round + turn) % 2 // each of the two programs is first in every other round
			if which == 0 {
				took[0], err = measure(binary, "enroll", "-f", file, "--yes", "-o", "json")
			} else {
				took[1], err = measure(curl, "--silent", "--fail", "--config", posts)
			}
			if err != nil {
				return err
			}
		}
		ours, theirs, ratios = append(ours, took[0]), append(theirs, took[1]), append(ratios, float64(took[0])/float64(took[1]))
	}
	fmt.Printf("  enrolling: ironworks enroll, %4d nodes with a port %s\n", nodes, spread(ours))
	fmt.Printf("  enrolling: the same POSTs by curl                  %s\n", spread(theirs))
	fmt.Printf("  enrolling: ratio (≤ 1.2)                           %s\n\n", spread(ratios))
	return nil
}

// enrollmentOf writes a file that lists nodes in the format of "baremetal create", and a curl configuration that
// makes the same requests. It returns the paths of both files.
func enrollmentOf(s *ironic.Server, nodes int) (file, posts string, err error) {
	list := make([]map[string]any, nodes)
	var config strings.Builder
	post := func(path string, body map[string]any) error {
		text, err := json.Marshal(body)
		if err != nil {
			return err
		}
		quoted := strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(string(text))
		fmt.Fprintf(&config, "url = %q\nheader = \"Content-Type: application/json\"\nheader = \"%s: 1.%d\"\ndata = \"%s\"\noutput = %q\nnext\n",
			s.URL+path, ironic.VersionHeader, s.Release.MaxMinor(), quoted, os.DevNull)
		return nil
	}
	for i := range list {
		uuid, mac := fmt.Sprintf("0e0e0e0e-0000-4000-8000-%012x", i), fmt.Sprintf("52:54:0e:%02x:%02x:%02x", i>>16, i>>8&0xff, i&0xff)
		node := map[string]any{
			"uuid": uuid, "name": fmt.Sprintf("rack-%05d", i), "driver": "redfish", "resource_class": "baremetal",
			"driver_info": map[string]any{"redfish_address": fmt.Sprintf("https://10.%d.%d.%d", i>>16, i>>8&0xff, i&0xff), "redfish_username": "admin", "redfish_password": "hunter2"},
			"properties":  map[string]any{"cpu_arch": "x86_64", "capabilities": "boot_mode:uefi"}, "extra": map[string]any{"rack": fmt.Sprint(i / 40)},
		}
		if err := post("/v1/nodes", node); err != nil {
			return "", "", err
		}
		port := map[string]any{"address": mac, "pxe_enabled": true}
		node["ports"] = []any{map[string]any{"address": mac, "pxe_enabled": true}}
		port["node_uuid"] = uuid
		if err := post("/v1/ports", port); err != nil {
			return "", "", err
		}
		list[i] = node
	}
	text, err := json.Marshal(map[string]any{"nodes": list})
	if err != nil {
		return "", "", err
	}
	file, posts = filepath.Join(s.Dir, "nodes.json"), filepath.Join(s.Dir, "posts.curl")
	if err := os.WriteFile(file, text, 0o600); err != nil {
		return "", "", err
	}
	return file, posts, os.WriteFile(posts, []byte(strings.TrimSuffix(config.String(), "next\n")), 0o600)
}

func database(s *ironic.Server) (*sql.DB, error) {
	return sql.Open("sqlite", "file:"+filepath.Join(s.Dir, "ironic.sqlite")+"?_pragma=busy_timeout(30000)")
}

// emptied deletes all nodes directly in Ironic's database.
func emptied(ctx context.Context, db *sql.DB) error {
	for _, table := range []string{"ports", "node_traits", "node_history", "nodes"} {
		if _, err := db.ExecContext(ctx, "DELETE FROM "+table); err != nil {
			return fmt.Errorf("empty %s: %w", table, err)
		}
	}
	return nil
}

// created checks that Ironic's database contains the wanted number of nodes, and the same number of ports.
func created(ctx context.Context, db *sql.DB, want int) error {
	for _, table := range []string{"nodes", "ports"} {
		var n int
		if err := db.QueryRowContext(ctx, "SELECT COUNT(*) FROM "+table).Scan(&n); err != nil {
			return err
		}
		if n != want {
			return fmt.Errorf("%d %s were created, not %d", n, table, want)
		}
	}
	return nil
}
