package lab_test

import (
	"crypto/md5" //nolint:gosec // what an old agent compares
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"ironworks/lab"
	"ironworks/lab/machine"
)

// diskImage returns a disk image that looks as if it had a partition table.
func diskImage() []byte {
	image := make([]byte, 2<<20)
	image[510], image[511] = 0x55, 0xaa
	copy(image[440:], []byte{1, 2, 3, 4})
	return image
}

// imageServer serves an image, a blank image and a file of checksums.
func imageServer(t *testing.T, image []byte) string {
	t.Helper()
	sum := sha256.Sum256(image)
	files := map[string][]byte{
		"/disk.raw": image, "/blank.raw": make([]byte, 1<<20),
		"/SUMS": fmt.Appendf(nil, "# checksums\n%064d  other.raw\n%x *disk.raw\n", 0, sum),
	}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		content, found := files[r.URL.Path]
		if !found {
			http.NotFound(w, r)
			return
		}
		w.Header().Set("Content-Length", fmt.Sprint(len(content)))
		if r.Method == http.MethodGet {
			_, _ = w.Write(content)
		}
	}))
	t.Cleanup(server.Close)
	return server.URL
}

// smallDisks returns a disk of a usual size and one that is too small for any image.
func smallDisks() []machine.Disk {
	return []machine.Disk{
		{Name: "/dev/sda", SizeBytes: 480_103_981_056, Vendor: "ATA", Model: "INTEL SSDSC2KB48", Serial: "BTYF1", WWN: "0x55cd2e4000000001", HCTL: "0:0:0:0"},
		{Name: "/dev/sdb", SizeBytes: 1 << 20, Vendor: "ATA", Model: "SuperSSpeed", Serial: "tiny", WWN: "0x55cd2e4000000002", HCTL: "0:0:1:0"},
	}
}

// direct is a test case that deploys an image with the direct deploy interface.
type direct struct {
	name  string
	image string // path on the server; the default is disk.raw
	info  map[string]any
	hints map[string]any
	// fails matches the error of a failed deployment; oldFails matches that of the old release, if it differs. If
	// both are empty, the node becomes active.
	fails, oldFails string
	// disk is the name of a disk; holds is the content that it must have afterwards.
	disk, holds string
	// refused matches the API's error if the API refuses the deployment.
	refused string
}

const imageOnDisk = "image disk.raw"

func directCases(t *testing.T) []testCase {
	t.Helper()
	image := diskImage()
	server := imageServer(t, image)
	sum := fmt.Sprintf("%x", sha256.Sum256(image))
	wrong := strings.Repeat("0", len(sum))
	plain := md5.Sum(image) //nolint:gosec // as above
	blank := sha256.Sum256(make([]byte, 1<<20))
	pair := func(value string) map[string]any {
		return map[string]any{"image_os_hash_algo": "sha256", "image_os_hash_value": value}
	}
	mismatch := "Deploy step deploy.write_image failed on node .* Image failed to verify against checksum. " +
		"location: disk.raw; image ID: /dev/sda; image checksum: %s; verification checksum: %s"
	deployments := []direct{
		{name: "sha256", info: pair(sum), holds: imageOnDisk},
		{name: "checksum-file", info: pair(server + "/SUMS"), holds: imageOnDisk},
		{
			// The old agent treats any checksum without an algorithm as an MD5 sum.
			name: "checksum-alone", info: map[string]any{"image_checksum": sum}, holds: imageOnDisk,
			oldFails: fmt.Sprintf(mismatch, sum, hex.EncodeToString(plain[:])),
		},
		{name: "md5", info: map[string]any{"image_checksum": hex.EncodeToString(plain[:])}, holds: imageOnDisk},
		// The checksum of a streamed image is compared after the image has been written to the disk.
		{name: "wrong-sum", info: pair(wrong), holds: imageOnDisk, fails: fmt.Sprintf(mismatch, wrong, sum)},
		{
			name: "too-large", info: pair(sum), hints: map[string]any{"name": "/dev/sdb"}, disk: "/dev/sdb",
			fails: `Deploy step deploy.write_image failed on node .* Download of image disk.raw failed: Unable to write image to device /dev/sdb. Error: \[Errno 28\] No space left on device`,
		},
		{
			name: "no-partitions", image: "blank.raw", info: pair(hex.EncodeToString(blank[:])), holds: "image blank.raw",
			fails: "Deploy step deploy.write_image failed on node .* No partitions found on the device /dev/sda after writing the image.",
		},
		{
			name: "gone", image: "gone.raw", info: pair(sum),
			fails: "Validation of image href " + server + "/gone.raw failed, reason: Got HTTP code 404 instead of 200 in response to HEAD request.",
		},
		{name: "no-sum", refused: `image_source's .*image_checksum.*, or .*image_os_hash_algo.* and .*image_os_hash_value.* must be provided in instance_info`},
	}
	cases := make([]testCase, len(deployments))
	for i, c := range deployments {
		cases[i] = testCase{member: lab.Member{Name: "direct-" + c.name, Disks: smallDisks()}, run: func(n node) error { return c.run(n, server) }}
	}
	return cases
}

func (c direct) run(n node, server string) error {
	if c.image == "" {
		c.image = "disk.raw"
	}
	if c.disk == "" {
		c.disk = "/dev/sda"
	}
	if n.subject.old && c.oldFails != "" {
		c.fails = c.oldFails
	}
	info := map[string]any{"image_source": server + "/" + c.image, "image_disk_format": "raw"}
	maps.Copy(info, c.info)
	if err := errors.Join(n.patch("deploy_interface", "direct"), n.patch("instance_info", info)); err != nil {
		return err
	}
	if c.hints != nil {
		if err := n.patch("properties/root_device", c.hints); err != nil {
			return err
		}
	}
	if err := n.runSteps(managed, provided); err != nil {
		return err
	}
	switch {
	case c.refused != "":
		return n.expectRefusal(target("active"), http.StatusBadRequest, c.refused)
	case c.fails != "":
		if err := n.expectFailure(target("active"), "deploy failed", c.fails); err != nil {
			return err
		}
		return n.checkInstalled(c.disk, c.holds)
	}
	if err := n.runSteps(deployed); err != nil {
		return err
	}
	if err := errors.Join(n.checkInstalled(c.disk, c.holds), n.waitBooted(machine.Hdd)); err != nil {
		return err
	}
	e, err := n.status()
	if err != nil {
		return err
	}
	if e.LastError != "" || e.Target != "" || e.Instance["image_type"] != "whole-disk" {
		return fmt.Errorf("machine %s: after the deployment Ironic shows %+v", n.Name(), e)
	}
	return n.runSteps(undeployed)
}
