// Package builders compares the ramdisk configurations that ironworks creates with
// those of the programs that it reproduces: ignition/build.py of
// openshift/ironic-agent-image (the classic profile) and the builder of
// openshift/image-customization-controller (the metal3 profile).
//
// The code of these programs is not part of this repository. The record command runs
// both of them, from checkouts, on the cases of this package and writes digests of
// their configurations to testdata. The tests create configurations for the same
// cases and compare the digests part by part.
//
//	go run ./test/builders/record -agent-image DIR -icc DIR            # write testdata
//	go run ./test/builders/record -agent-image DIR -icc DIR -compare   # compare now, write nothing
//
// The defaults of the two directories are taken from IRONWORKS_AGENT_IMAGE and
// IRONWORKS_ICC. The command needs Python 3, and the controller's vendor folder.
package builders
