package provision

import (
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"ironworks/models"
)

// TestListingBlocksNobody checks that listing deployments, which briefly locks each of them, never prevents a
// starting process from taking such a lock. Every attempt starts with a lock file that a killed process left behind.
func TestListingBlocksNobody(t *testing.T) {
	t.Parallel()
	const uuid = "7d5f1a2b-0d6e-4a43-9f2c-000000000001"
	now := time.Date(2030, 1, 1, 0, 0, 0, 0, time.UTC)
	d := &Deployments{Dir: t.TempDir()}
	log, err := d.open(uuid)
	if err != nil {
		t.Fatal(err)
	}
	if err := log.create(record{Unfinished: Unfinished{Node: models.NodeRef{UUID: uuid}, Stage: StageFollowing, Started: now, At: now}}); err != nil {
		t.Fatal(err)
	}
	log.close()
	lock := filepath.Join(d.Dir, uuid+".lock")
	done := make(chan struct{})
	var listers sync.WaitGroup
	for range 4 {
		listers.Go(func() {
			for {
				select {
				case <-done:
					return
				default:
				}
				if _, err := d.Unfinished(now); err != nil {
					t.Error(err)
				}
			}
		})
	}
	for range 500 {
		if err := os.WriteFile(lock, []byte("1\n"), 0o600); err != nil {
			t.Error(err)
		}
		log, err := d.open(uuid)
		if err != nil {
			t.Errorf("held up by a listing: %v", err)
			break
		}
		if err := d.holder(uuid); err == nil {
			t.Error("who is at work is not seen")
		}
		log.close()
	}
	close(done)
	listers.Wait()
}
