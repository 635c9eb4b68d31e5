package iso9660_test

import (
	"bytes"
	"fmt"
	"testing"

	"ironworks/lab/iso9660"
)

// TestImageReturnsOffsets checks the offsets of files. Tests in ignition/image and lab/machine check that the images
// can be read.
func TestImageReturnsOffsets(t *testing.T) {
	t.Parallel()
	tree := iso9660.Tree{"readme.txt": []byte("top"), "a/b/deep.txt": bytes.Repeat([]byte("x"), 5000), "empty.txt": nil}
	for i := range 100 { // more records than fit into a sector
		tree[fmt.Sprintf("many/f%d.txt", i)] = fmt.Appendf(nil, "file %d", i)
	}
	image, offsets := tree.Image("label")
	if len(image)%2048 != 0 || !bytes.HasPrefix(image[16*2048:], []byte("\x01CD001\x01")) || !bytes.Contains(image[16*2048:17*2048], []byte("label")) {
		t.Error("there is no volume")
	}
	for path, content := range tree {
		at := offsets[path]
		if at%2048 != 0 || at < 18*2048 || !bytes.HasPrefix(image[at:], content) {
			t.Errorf("%s is not at %d", path, at)
		}
	}
}
