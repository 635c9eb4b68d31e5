// Package builders compares our ramdisk configurations with those of the
// programs that they reproduce: ignition/build.py of
// openshift/ironic-agent-image (profile classic) and the builder of
// openshift/image-customization-controller (profile metal3).
//
// Their code is not part of this repository. The command in record runs both of
// them on the cases of this package, from checkouts that it is given, and writes
// digests of what they make to testdata; the test makes ours of the same cases
// and compares the digests part by part.
//
//	go run ./test/builders/record -agent-image DIR -icc DIR            # write testdata
//	go run ./test/builders/record -agent-image DIR -icc DIR -compare   # compare now, writing nothing
//
// The directories may also be given as IRONWORKS_AGENT_IMAGE and IRONWORKS_ICC.
// A Python 3 is needed, and for the controller its vendor folder.
package builders
