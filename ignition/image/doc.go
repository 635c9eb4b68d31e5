// Package image reads and edits the boot files of a CoreOS live system: the live ISO, with its
// areas for an Ignition configuration and kernel arguments, and the initramfs of a network
// boot.
//
// Edits do not copy the image. [Read] finds the areas, [ISO.Edit] computes a [Patch] of a few
// hundred KiB, and the patch is written in place ([EditFile]), to a new file ([WriteFile]), or
// over the image as it is read ([Overlay]), so that one base file serves a stream per node.
//
// The format follows coreos-installer 0.26.0, which can read the result. Images are untrusted:
// their metadata is limited and checked.
package image
