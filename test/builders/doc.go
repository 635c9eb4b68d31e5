// Package builders compares ramdisk configurations of ironworks with those of the
// programs that it reproduces: ignition/build.py of openshift/ironic-agent-image
// (profile classic) and the builder of openshift/image-customization-controller
// (profile metal3).
//
// Their code is not part of this repository. The command record runs both on the
// cases of this package, from checkouts, and writes digests of the configurations
// to testdata. The tests create the configurations of the same cases and compare
// the digests part by part.
//
//	go run ./test/builders/record -agent-image DIR -icc DIR            # write testdata
//	go run ./test/builders/record -agent-image DIR -icc DIR -compare   # compare now, write nothing
//
// IRONWORKS_AGENT_IMAGE and IRONWORKS_ICC are the defaults of the directories. The
// command needs Python 3, and the controller's vendor folder.
package builders
