package boot

import (
	"os"
	"testing"
	"time"
)

func TestCapture(t *testing.T) {
	row := os.Getenv("ROW")
	made := ramdisk{push: true}
	switch row {
	case "tag":
		made.tag = "nosuchtag"
	case "port":
		made.ironic = "http://10.0.2.2:9"
	}
	b := newBench(t, made)
	b.order(map[string]any{"target": "inspect"})
	time.Sleep(400 * time.Second)
	os.WriteFile("/tmp/capture-"+row+".txt", []byte(b.ironworks("logs", b.node[len("/v1/nodes/"):], "--kept")), 0o600)
	t.Log(b.ironworks("explain", b.node[len("/v1/nodes/"):]))
}
