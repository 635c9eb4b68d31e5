package plan

import (
	"fmt"
	"net/url"
	"strings"

	"ironworks/models"
	"ironworks/models/hints"
)

// RegistryFacts are what a container registry said of an oci:// image to this machine,
// asked without credentials.
type RegistryFacts struct {
	// Error is why there is no answer; the rest is then empty.
	Error string
	// Closed says that the registry wants credentials (401, 403).
	Closed bool
	// Missing says that the registry does not have the image (404).
	Missing bool
	// Artifact says that the image holds a disk image; else it is a bootable container.
	Artifact bool
}

func isOCI(source string) bool { return strings.HasPrefix(source, "oci://") }

// OCIReference is an oci:// image as Ironic takes it apart
// (ironic/common/image_service.py, OciImageService, and oci_registry.py of 39.0).
type OCIReference struct {
	// Registry is HOST or HOST:PORT.
	Registry, Repository string
	// Tag is empty beside a Digest; Digest is ALGORITHM:HEX.
	Tag, Digest string
}

// parseOCIReference reads oci://REGISTRY/REPOSITORY, followed by :TAG, @DIGEST, both or
// neither, which is the tag latest.
func parseOCIReference(source string) (OCIReference, error) {
	u, err := url.Parse(source)
	if err != nil || !isOCI(source) {
		return OCIReference{}, fmt.Errorf("no oci:// reference")
	}
	path, digest, pinned := strings.Cut(strings.TrimPrefix(u.Path, "/"), "@")
	repository, tag, _ := strings.Cut(path, ":")
	r := OCIReference{Registry: u.Host, Repository: repository, Tag: tag}
	switch {
	case u.User != nil:
		return r, fmt.Errorf("the reference has a user name, which Ironic takes for a part of the registry's name; put credentials into instance_info.image_pull_secret")
	case u.RawQuery != "" || u.Fragment != "":
		return r, fmt.Errorf("the reference has a query or a fragment, which Ironic ignores")
	case r.Registry == "":
		return r, fmt.Errorf("the reference names no registry")
	case repository == "" || strings.HasSuffix(repository, "/") || strings.ToLower(repository) != repository:
		return r, fmt.Errorf("%q is no repository: want lower case names with / between them", models.Printable(repository))
	case !pinned && tag == "" && strings.HasSuffix(path, ":"):
		return r, fmt.Errorf("the tag is empty")
	case !pinned && tag == "":
		r.Tag = "latest"
	}
	if !pinned {
		return r, nil
	}
	r.Tag, r.Digest = "", digest
	return r, checkDigest(digest)
}

func checkDigest(digest string) error {
	algorithm, value, found := strings.Cut(digest, ":")
	want, known := map[string]int{"sha256": 64, "sha512": 128}[strings.ToLower(algorithm)]
	switch {
	case !found:
		return fmt.Errorf("the digest has no algorithm: want sha256:HEX")
	case !known:
		return fmt.Errorf("no digest algorithm %q: want sha256 or sha512", models.Printable(algorithm))
	case len(value) != want:
		return fmt.Errorf("a digest of %s has %d characters, and this one %d", strings.ToLower(algorithm), want, len(value))
	}
	return nil
}

// RegistryImage is the oci:// image that a registry is asked about, where a deployment
// may write one.
func (f *Facts) RegistryImage() (OCIReference, bool) {
	for _, kind := range f.possible() {
		facts := *f
		facts.Kind = kind
		if r, is := facts.ociImage(); is {
			return r, true
		}
	}
	return OCIReference{}, false
}

// ociImage is the oci:// image that counts, where the deployment writes one.
func (f *Facts) ociImage() (OCIReference, bool) {
	image, _ := f.imageOf()
	if !f.Kind.WritesImage() || !isOCI(image.Source) {
		return OCIReference{}, false
	}
	r, err := parseOCIReference(image.Source)
	return r, err == nil
}

func checkOCIReference(f *Facts) finding {
	image, from := f.imageOf()
	if !f.Kind.WritesImage() || !isOCI(image.Source) {
		return finding{}
	}
	at := models.Observed(from, models.MaskURL(image.Source))
	if _, err := parseOCIReference(image.Source); err != nil {
		return bad(err.Error(), "oci://REGISTRY/REPOSITORY@sha256:DIGEST", at)
	}
	return good("Ironic can read the reference", at)
}

func checkOCITag(f *Facts) finding {
	r, is := f.ociImage()
	switch {
	case !is:
		return finding{}
	case r.Digest != "":
		return good("the image is named by its digest", models.Observed("digest", r.Digest))
	}
	return bad(fmt.Sprintf("tag %s may name another image by the time of the deployment", r.Tag),
		"name the image by its digest: @sha256:DIGEST", models.Observed("tag", r.Tag))
}

// checkOCIKind compares what the image holds with what the interface installs.
func checkOCIKind(f *Facts) finding {
	r, is := f.ociImage()
	switch {
	case !is || f.Registry == nil:
		return finding{}
	case f.Registry.Error != "":
		return unknown("the registry could not be asked from here: "+f.Registry.Error, AskElsewhere, models.Observed("registry", r.Registry))
	case f.Registry.Closed:
		return finding{} // the pull secret's check says so
	case f.Registry.Missing:
		return bad("the registry has no such image", "correct image.source", models.Observed("registry", r.Registry), models.Observed("repository", r.Repository))
	}
	at := models.Observed("image", "a bootable container")
	if f.Registry.Artifact {
		at = models.Observed("image", "an artifact with a disk image")
	}
	switch {
	case f.Kind == KindBootc && f.Registry.Artifact && f.autodetects(), f.Kind == KindDirect && !f.Registry.Artifact && f.autodetects():
		return finding{} // autodetect does not switch to it
	case f.Kind == KindBootc && f.Registry.Artifact:
		return bad("bootc cannot install an artifact with a disk image", "deploy_interface: direct", at)
	case f.Kind == KindDirect && !f.Registry.Artifact:
		return bad("direct cannot write a bootable container", "deploy_interface: bootc", at)
	}
	return good("the interface installs such images", at)
}

// checkOCISecret: get_image_service_auth_override of ironic/common/image_service.py reads
// image_pull_secret of instance_info, then of driver_info. A conductor may have
// credentials of its own, in [oci]authentication_config.
func checkOCISecret(f *Facts) finding {
	r, is := f.ociImage()
	if !is || f.Registry == nil {
		return finding{}
	}
	for _, place := range []struct {
		field string
		info  map[string]any
	}{{"instance_info.image_pull_secret", f.Node.InstanceInfo}, {"driver_info.image_pull_secret", f.Node.DriverInfo}} {
		if hints.PythonTruthy(place.info["image_pull_secret"]) {
			return good("there is a pull secret", models.Observed(place.field, "set"))
		}
	}
	if !f.Registry.Closed {
		return finding{}
	}
	return bad("the registry wants credentials, and the node has no pull secret",
		"ironworks set "+f.Node.Label()+" instance_info.image_pull_secret=SECRET, or [oci]authentication_config of the conductors", models.Observed("registry", r.Registry))
}
