package agent

import (
	"crypto/md5" //nolint:gosec // for comparison with given checksums
	"hash"

	"ironworks/python"
)

type imageInfo struct {
	id, format  string
	urls        []string
	checksum    string           // the checksum, or the URL of a checksum file
	newHash     func() hash.Hash // if nil, the length of the checksum determines the algorithm
	streams     bool
	bootMode    string
	bootOption  string
	configdrive string
	// partition reports whether the image is only a root file system, for which the agent creates the partitions.
	partition bool
	given     *dict
}

// readImageInfo reads the image_info of a write_image step, with the real agent's checks in the same order.
func readImageInfo(args *dict, age generation, md5Enabled bool) (imageInfo, error) {
	given := args.Dict("image_info")
	info := imageInfo{given: given, partition: given.Text("image_type") == "partition", id: given.Text("id"), format: given.Text("disk_format"), bootMode: given.Text("deploy_boot_mode"), bootOption: given.Text("boot_option")}
	for _, field := range []string{"id", "urls"} {
		if !given.Has(field) {
			return info, newFault(invalidParams, "Image is missing '%s' field.", field)
		}
	}
	urls, _ := given.Get("urls").(list)
	for _, u := range urls {
		info.urls = append(info.urls, python.Str(u))
	}
	if len(info.urls) == 0 {
		return info, newFault(invalidParams, "Image 'urls' must be a list with at least one element.")
	}
	info.streams = python.Truthy(given.Get("stream_raw_images")) && info.format == "raw"
	info.configdrive = args.Text("configdrive")
	if !args.Has("configdrive") {
		info.configdrive = given.Text("configdrive")
	}
	return info, info.readChecksum(given, age, md5Enabled)
}

// readChecksum reads the expected checksum and its algorithm from an image_info.
func (i *imageInfo) readChecksum(given *dict, age generation, md5Enabled bool) error {
	sum := given.Get("checksum")
	checksum := given.Text("checksum")
	if sum != nil && checksum == "" {
		return newFault(invalidParams, "Image 'checksum' must be a non-empty string.")
	}
	// A longer checksum than MD5's is accepted even if MD5 is disabled. An old agent accepts any non-empty checksum.
	available := isURL(checksum) || len(checksum) > 2*md5.Size || (age == legacyAgent || md5Enabled) && checksum != ""
	algorithm, value := given.Get("os_hash_algo"), given.Get("os_hash_value")
	if python.Truthy(algorithm) || python.Truthy(value) {
		if given.Text("os_hash_algo") == "" {
			return newFault(invalidParams, "Image 'os_hash_algo' must be a non-empty string.")
		}
		if given.Text("os_hash_value") == "" {
			return newFault(invalidParams, "Image 'os_hash_value' must be a non-empty string.")
		}
		available = true
	}
	newHash, known := hashes[given.Text("os_hash_algo")]
	switch {
	case !available:
		return newFault(invalidParams, "Image checksum is not available, either the 'checksum' field or the 'os_hash_algo' and 'os_hash_value' fields pair must be set for image verification.")
	case known:
		i.checksum, i.newHash = given.Text("os_hash_value"), newHash
	case checksum != "" && age == legacyAgent:
		i.checksum, i.newHash = checksum, md5.New
	case checksum != "":
		i.checksum = checksum // the length determines the algorithm
	default:
		return newFault(restError, "Unable to verify image %s with available checksums. Please make sure the specified 'os_hash_algo' (currently %s) is supported by this ramdisk, or provide a md5 checksum via the 'checksum' field",
			i.id, python.Str(algorithm))
	}
	return nil
}
