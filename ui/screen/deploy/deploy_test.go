package deploy_test

import (
	"fmt"
	"path/filepath"
	"regexp"
	"testing"
	"testing/synctest"

	"ironworks/test/golden"
	"ironworks/ui/action"
	"ironworks/ui/screen/deploy"
	"ironworks/ui/screen/screentest"
)

func TestPages(t *testing.T) {
	for _, page := range []struct {
		name string
		n    int
	}{{"ramdisk", 1}, {"disk", 2}, {"steps", 3}, {"boot", 4}, {"review", 5}} {
		t.Run(page.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				w := set(t, machine(t, 1, "r7-n01", ""))
				w.ironic.disks[screentest.UUID(1)] = threeDisks()
				w.open()
				w.page(page.n)
				screentest.Golden(t, w.s, page.name)
				screentest.CheckSizes(t, w.s)
			})
		})
	}
}

func TestPickedDiskIsReviewed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := set(t, machine(t, 1, "r7-n01", ""))
		w.ironic.disks[screentest.UUID(1)] = threeDisks()
		w.open()
		w.shows("[✖ Root disk]") // opens on the page with the failed check
		w.do(action.Down, action.Open)
		screentest.Golden(t, w.s, "disk-picked")
		w.do(action.DeployNext)
		instanceGolden(t, w.s, "review-ready")
	})
}

// instanceUUID matches the random instance_uuid in requests and commands.
var instanceUUID = regexp.MustCompile(`("/instance_uuid","value":"|--instance-uuid )[0-9a-f-]{36}`)

// instanceGolden is like screentest.Golden, but for a screen that shows a random instance_uuid.
func instanceGolden(t *testing.T, s *deploy.Screen, name string) {
	t.Helper()
	for _, size := range [][2]int{{80, 20}, {200, 46}} {
		got := instanceUUID.ReplaceAllString(screentest.Text(s, size[0], size[1]), "${1}11111111-2222-4333-8444-555555555555") + "\n"
		path := filepath.Join("testdata", fmt.Sprintf("%s.%dx%d.golden", name, size[0], size[1]))
		golden.Compare(t, path, got)
	}
}
