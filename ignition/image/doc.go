// Package image reads and edits what a CoreOS live system boots from: the live
// ISO with its areas for an Ignition configuration and for kernel arguments,
// and the initramfs of a boot from the network.
//
// Nothing here copies an image to change it. [Read] finds the areas, [ISO.Edit]
// works out a [Patch] of a few hundred KiB, and the patch is written in place
// ([EditFile]), into a new file ([WriteFile]) or laid over the image while it
// is read ([Overlay]): one base file serves a stream for each node.
//
// The rules are those of coreos-installer 0.26.0, which reads back what is
// written here. An image is foreign: what it says about itself is bounded and
// checked before it is believed.
package image
