package plan

import (
	"fmt"
	"net/url"
	"strings"

	"ironworks/models"
	"ironworks/models/hints"
	"ironworks/printable"
)

// RegistryFacts holds a registry's answer to a request for an oci:// image without credentials.
type RegistryFacts struct {
	// Error says why there is no answer. If it is set, the other fields are empty.
	Error string
	// Closed means that the registry requires credentials (status 401 or 403).
	Closed bool
	// Missing means that the registry does not have the image (status 404).
	Missing bool
	// Artifact means that the image contains a disk image. If it is false, the image is a bootable container.
	Artifact bool
}

func isOCI(source string) bool { return strings.HasPrefix(source, "oci://") }

// OCIReference is a parsed reference to an oci:// image. The parser follows Ironic 39.0 (OciImageService in
// ironic/common/image_service.py, and oci_registry.py).
type OCIReference struct {
	// Registry has the form HOST or HOST:PORT.
	Registry, Repository string
	// Tag is empty if Digest is set. Digest has the form ALGORITHM:HEX.
	Tag, Digest string
}

// parseOCIReference parses a reference of the form oci://REGISTRY/REPOSITORY, which may be followed by :TAG and
// @DIGEST. If both are missing, the tag is latest.
func parseOCIReference(source string) (OCIReference, error) {
	u, err := url.Parse(source)
	if err != nil || !isOCI(source) {
		return OCIReference{}, fmt.Errorf("not an oci:// reference")
	}
	path, digest, pinned := strings.Cut(strings.TrimPrefix(u.Path, "/"), "@")
	repository, tag, _ := strings.Cut(path, ":")
	r := OCIReference{Registry: u.Host, Repository: repository, Tag: tag}
	switch {
	case u.User != nil:
		return r, fmt.Errorf("the reference has a user name, which Ironic reads as part of the registry name; put credentials in instance_info.image_pull_secret")
	case u.RawQuery != "" || u.Fragment != "":
		return r, fmt.Errorf("the reference has a query or a fragment, which Ironic ignores")
	case r.Registry == "":
		return r, fmt.Errorf("the reference names no registry")
	case repository == "" || strings.HasSuffix(repository, "/") || strings.ToLower(repository) != repository:
		return r, fmt.Errorf("invalid repository %q: use lower-case names separated by /", printable.Line(repository))
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
		return fmt.Errorf("the digest has no algorithm: use sha256:HEX")
	case !known:
		return fmt.Errorf("unknown digest algorithm %q: use sha256 or sha512", printable.Line(algorithm))
	case len(value) != want:
		return fmt.Errorf("a %s digest has %d characters, this one has %d", strings.ToLower(algorithm), want, len(value))
	}
	return nil
}

// RegistryImage returns the oci:// image that the deployment may write, and reports whether there is one.
func (f *Facts) RegistryImage() (OCIReference, bool) {
	for _, kind := range f.possibleKinds() {
		facts := *f
		facts.Kind = kind
		if r, is := facts.ociImage(); is {
			return r, true
		}
	}
	return OCIReference{}, false
}

// ociImage returns the effective oci:// image, and reports whether the deployment writes one.
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
		return fail(err.Error(), "oci://REGISTRY/REPOSITORY@sha256:DIGEST", at)
	}
	return pass("valid reference", at)
}

func checkOCITag(f *Facts) finding {
	r, is := f.ociImage()
	switch {
	case !is:
		return finding{}
	case r.Digest != "":
		return pass("pinned by digest", models.Observed("digest", r.Digest))
	}
	return fail(fmt.Sprintf("tag %s may point to another image at deployment time", r.Tag),
		"pin the image by digest: @sha256:DIGEST", models.Observed("tag", r.Tag))
}

// checkOCIKind checks that the deploy interface can install this kind of image: a disk image or a bootable container.
func checkOCIKind(f *Facts) finding {
	r, is := f.ociImage()
	switch {
	case !is || f.Registry == nil:
		return finding{}
	case f.Registry.Error != "":
		return unknown("the registry is not reachable from this console: "+f.Registry.Error, AskElsewhere, models.Observed("registry", r.Registry))
	case f.Registry.Closed:
		return finding{} // checkOCISecret reports that the registry requires credentials
	case f.Registry.Missing:
		return fail("image not found in the registry", "correct image.source", models.Observed("registry", r.Registry), models.Observed("repository", r.Repository))
	}
	at := models.Observed("image", "bootable container")
	if f.Registry.Artifact {
		at = models.Observed("image", "artifact with a disk image")
	}
	switch {
	case f.Kind == KindBootc && f.Registry.Artifact && f.autodetects(), f.Kind == KindDirect && !f.Registry.Artifact && f.autodetects():
		return finding{} // autodetect does not select this interface for the image
	case f.Kind == KindBootc && f.Registry.Artifact:
		return fail("bootc cannot install an artifact with a disk image", "set deploy_interface: direct", at)
	case f.Kind == KindDirect && !f.Registry.Artifact:
		return fail("direct cannot write a bootable container", "set deploy_interface: bootc", at)
	}
	return pass("supported by the deploy interface", at)
}

// checkOCISecret checks whether there are credentials for the registry. Like get_image_service_auth_override in
// ironic/common/image_service.py, it reads image_pull_secret from instance_info first and from driver_info second. A
// conductor may have other credentials, in [oci]authentication_config.
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
			return pass("pull secret set", models.Observed(place.field, "set"))
		}
	}
	if !f.Registry.Closed {
		return finding{}
	}
	return fail("the registry requires credentials, but the node has no pull secret",
		"ironworks set "+f.Node.Label()+" instance_info.image_pull_secret=SECRET, or set [oci]authentication_config on the conductors", models.Observed("registry", r.Registry)).
		onScreen(models.RunKey("set", "instance_info.image_pull_secret=SECRET") + "; or set [oci]authentication_config on the conductors")
}
