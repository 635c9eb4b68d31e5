package lab_test

import (
	"bytes"
	"errors"
	"testing"

	"ironworks/ignition/image"
	"ironworks/lab"
)

// TestLiveISO checks that tools for CoreOS images can edit the lab's image.
func TestLiveISO(t *testing.T) {
	t.Parallel()
	config := []byte(`{"ignition":{"version":"3.0.0"}}`)
	for name, config := range map[string][]byte{"empty": nil, "with a configuration": config} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			content, err := lab.LiveISO(config)
			if err != nil {
				t.Fatal(err)
			}
			iso, err := image.Read(bytes.NewReader(content), int64(len(content)))
			if err != nil {
				t.Fatal(err)
			}
			got, err := iso.Ignition()
			if !bytes.Equal(got, config) || (config == nil) != errors.Is(err, image.ErrNotEmbedded) {
				t.Errorf("it holds %q, %v", got, err)
			}
			kargs, err := iso.Kargs()
			if err != nil || kargs.Current != kargs.Default || kargs.Size < 1024 {
				t.Errorf("kernel arguments %+v, %v", kargs, err)
			}
			patch, err := iso.Edit(image.Change{Kargs: image.KargsEdit{Append: []string{"console=ttyS0"}}})
			if err != nil || patch.Kargs != kargs.Default+" console=ttyS0" {
				t.Errorf("edited: %+v, %v", patch, err)
			}
		})
	}
}
