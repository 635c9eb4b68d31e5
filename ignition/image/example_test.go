package image_test

import (
	"log"
	"net/http"
	"time"

	"ironworks/ignition/image"
)

// ExampleISO_Edit serves each node a different version of the same image, which has a size of about a gigabyte. All
// versions have the same length.
func ExampleISO_Edit() {
	iso, err := image.Open("fedora-coreos-live.iso")
	if err != nil {
		log.Fatal(err)
	}
	defer func() { _ = iso.Close() }()
	patch, err := iso.Edit(image.Change{
		Ignition: []byte(`{"ignition": {"version": "3.2.0"}}`),
		Kargs:    image.KargsEdit{Append: []string{"console=ttyS0"}},
	})
	if err != nil {
		log.Fatal(err) // an image.TooLargeError states the capacity
	}
	log.Printf("%d of %d bytes are used", patch.Used, iso.Look().Capacity)
	http.HandleFunc("/node-1.iso", func(w http.ResponseWriter, r *http.Request) {
		stream, err := patch.Stream(iso)
		if err != nil {
			http.Error(w, err.Error(), http.StatusInternalServerError)
			return
		}
		http.ServeContent(w, r, "node-1.iso", time.Time{}, stream)
	})
}
