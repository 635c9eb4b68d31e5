package deploy_test

import (
	"fmt"
	"testing"

	"ironworks/models"
	"ironworks/ui/screen/deploy"
)

// BenchmarkDraw measures how long it takes to draw each page, with one node and with the maximum number of nodes. The
// time matters because the screen is drawn after every key.
func BenchmarkDraw(b *testing.B) {
	for _, count := range []int{1, deploy.NodesAtMost} {
		nodes := make([]models.Node, count)
		for i := range nodes {
			nodes[i] = machine(b, i+1, fmt.Sprintf("n%03d", i), "")
		}
		w := opened(b, nodes...)
		for n, name := range []string{"ramdisk", "disk", "steps", "boot", "review"} {
			w.page(n + 1)
			b.Run(fmt.Sprintf("%d/%s", count, name), func(b *testing.B) {
				th := themed()
				for b.Loop() {
					w.s.Draw(th, 200, 46)
				}
			})
		}
	}
}
