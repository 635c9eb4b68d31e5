package agent

import (
	"crypto/sha256"
	"crypto/sha512"
	"hash"
	"strings"
)

// hashes are the checksums that agents compare. MD5 they refuse by default.
var hashes = map[string]func() hash.Hash{"sha256": sha256.New, "sha512": sha512.New}

// readImageInfo reads the image_info of a write_image step; the refusals are
// the agent's, in its order.
func readImageInfo(args *dict) (imageInfo, error) {
	given := args.dict("image_info")
	info := imageInfo{id: given.text("id"), format: given.text("disk_format"), bootMode: given.text("deploy_boot_mode"), bootOption: given.text("boot_option")}
	for _, field := range []string{"id", "urls"} {
		if !given.has(field) {
			return info, newFault(invalidParams, "Image is missing '%s' field.", field)
		}
	}
	urls, _ := given.get("urls").(list)
	for _, u := range urls {
		info.urls = append(info.urls, str(u))
	}
	if len(info.urls) == 0 {
		return info, newFault(invalidParams, "Image 'urls' must be a list with at least one element.")
	}
	if given.text("image_type") == "partition" {
		return info, newFault(deploymentError, "Partition images are not supported, image %s is one.", info.id)
	}
	info.streams = truthy(given.get("stream_raw_images")) && info.format == "raw"
	info.configdrive = args.text("configdrive")
	if !args.has("configdrive") {
		info.configdrive = given.text("configdrive")
	}
	return info, info.readChecksum(given)
}

// readChecksum finds out what to compare with.
func (i *imageInfo) readChecksum(given *dict) error {
	sum := given.get("checksum")
	if text, ok := sum.(string); sum != nil && (!ok || text == "") {
		return newFault(invalidParams, "Image 'checksum' must be a non-empty string.")
	}
	algorithm, value := given.get("os_hash_algo"), given.get("os_hash_value")
	if truthy(algorithm) || truthy(value) {
		if text, ok := algorithm.(string); !ok || text == "" {
			return newFault(invalidParams, "Image 'os_hash_algo' must be a non-empty string.")
		}
		if text, ok := value.(string); !ok || text == "" {
			return newFault(invalidParams, "Image 'os_hash_value' must be a non-empty string.")
		}
		i.algorithm, i.checksum = str(algorithm), str(value)
	} else if text := given.text("checksum"); len(text) > 2*16 {
		i.checksum = text
		i.algorithm = map[int]string{2 * sha256.Size: "sha256", 2 * sha512.Size: "sha512"}[len(text)]
	} else {
		return newFault(invalidParams, "Image checksum is not available, either the 'checksum' field or the 'os_hash_algo' and 'os_hash_value' fields pair must be set for image verification.")
	}
	if strings.Contains(i.checksum, "://") {
		return newFault(restError, "Checksums that are URLs are not supported, that of image %s is one.", i.id)
	}
	newHash, ok := hashes[i.algorithm]
	if !ok {
		return newFault(restError, "Unable to verify image %s with available checksums. Please make sure the specified 'os_hash_algo' (currently %s) is supported by this ramdisk, or provide a md5 checksum via the 'checksum' field",
			i.id, str(algorithm))
	}
	i.newHash = newHash
	return nil
}
