package explain

var imageRules = []Rule{
	newRule("image-checksum", "checksum mismatch",
		"The image does not match its checksum: outdated checksum, other algorithm, or incomplete download").
		shows(evStep, evSiblings).
		not("the disk: the downloaded data was wrong").
		next(set("instance_info.image_checksum=SHA256", "Set the checksum of the current image file and its algorithm.")).
		from("ironic_python_agent/errors.py: ImageChecksumError"),
	newRule("checksum-file", "image not in the checksum file",
		"The checksum file has no entry for the image's file name").
		shows(evStep).
		not("a wrong checksum: none was found").
		next(set("instance_info.image_checksum=SHA256", "Set the checksum itself instead of the file's URL.")).
		from("ironic/common/checksum_utils.py"),
	newRule("checksum-missing", "image has no checksum",
		"The image has no checksum, which Ironic requires for HTTP images").
		shows(evState).
		not("a machine fault: Ironic did not contact the machine").
		next(set("instance_info.image_checksum=SHA256", "Set image_checksum, or image_os_hash_algo and image_os_hash_value.")).
		from("ironic/drivers/modules/agent.py"),
	newRule("md5-disabled", "MD5 checksum not accepted", "The checksum is MD5, which Ironic no longer accepts").
		not("a wrong image").
		next(set("instance_info.image_checksum=SHA256", "Set a SHA-256 or SHA-512 checksum.")).
		from("ironic_python_agent/extensions/standby.py, ironic/common/checksum_utils.py"),
	newRule("image-http", "server refused the image or ISO",
		"The server refused the image or ISO: wrong URL, login required, or HEAD not allowed").
		shows(evISO, evState, evSiblings).
		not("the network: the server answered").
		next(Next{Text: "Send a HEAD request to the URL from the conductor's network.", Command: "curl -I URL"}).
		from("ironic/common/image_service.py"),
	newRule("image-unreachable", "conductor cannot reach image server",
		"The conductor cannot reach the server that provides the image or ISO").
		shows(evISO, evState, evSiblings).
		not("the machine: the machine had not booted", "a missing file: the server did not answer").
		next(set("driver_info.deploy_iso=URL", "Start the server, or correct the URL in the error. If ironworks is the server, keep it running while machines boot.")).
		from("ironic/common/image_service.py"),
	newRule("image-status", "image server refused the image",
		"The image server refused to serve the image or does not have it; coreos-installer reports the URL and HTTP status").
		shows(evStep, evSiblings).
		not("the network: the server answered", "the disk: nothing was written").
		next(set("instance_info.image_source=URL", "Open the URL from the machine's network, and correct image_source.")).
		insteadOf("installer-failed").
		from("coreos-installer"),
	newRule("image-unreached", "machine cannot reach image server",
		"The machine cannot reach the image server; coreos-installer reports the URL").
		shows(evStep, evSiblings).
		not("a missing image: the server did not answer", "the disk: nothing was written").
		next(set("instance_info.image_source=URL", "Open the URL from the ramdisk's network. Check route, DNS, proxy and firewall.")).
		insteadOf("installer-failed").
		from("coreos-installer"),
	newRule("image-download", "image download failed", "The machine could not download the image").
		shows(evStep, evSiblings, evLastLine).
		not("the disk: no write failed").
		next(readLog("Open the URL from the ramdisk's network. Check route, DNS, proxy and firewall.")).
		from("ironic_python_agent/errors.py: ImageDownloadError"),
	newRule("no-partition-table", "no partition table in the image",
		"The written image has no partition table: partition image, corrupt image, or wrong sector size").
		shows(evHints, evStep).
		not("the download: the image is complete").
		next(compareDisks("Check the disk's sector size (4096 bytes?), and use a whole-disk image.")).
		from("ironic_python_agent/extensions/standby.py"),
	newRule("image-refused", "image format refused",
		"Ironic refused the image format: format not permitted, or different from image_disk_format").
		shows(evState).
		not("a wrong checksum").
		next(set("instance_info.image_disk_format=qcow2", "Set image_disk_format (raw or qcow2), or convert the image.")).
		from("ironic/common/images.py"),
	newRule("out-of-memory", "too little memory", "The machine has too little memory for the image or the ramdisk").
		shows(evStep).
		not("the disk").
		next(set("instance_info.image_disk_format=raw", "Use a raw image (streamed to the disk) or a smaller ramdisk.")).
		insteadOf(append([]RuleID{"machine-boots", "ramdisk-boots", "boot-stuck", "boot-silent", "agent-restarts"}, unheardRules...)...).
		from("ironic/drivers/modules/deploy_utils.py; the kernel"),
}
