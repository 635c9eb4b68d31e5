// Package image reads and edits the boot files of a CoreOS live system. These are the live ISO, with its areas for an
// Ignition configuration and kernel arguments, and the initramfs for network boots.
//
// Edits do not copy the image. [Read] finds the areas, and [ISO.Edit] computes a [Patch] of a few hundred KiB. The
// patch can be applied to the image in place ([EditFile]), to a copy in a new file ([WriteFile]), or to the data
// while the image is read ([Overlay]). With an overlay, one base file can serve a different image to each node.
//
// The format follows coreos-installer 0.26.0, which can read the result. Images are not trusted: their metadata is
// checked and its size is limited.
package image
