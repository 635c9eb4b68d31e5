package plan

import (
	"fmt"
	"slices"
	"strings"

	"ironworks/models"
	"ironworks/models/hints"
	"ironworks/printable"
)

func checkConfigDrive(f *Facts) finding {
	switch {
	case f.ConfigDriveText && f.Kind.deployInterface() == "custom-agent":
		return fail("install_coreos cannot use a rendered configdrive", "use an object with user_data", models.Observed("configdrive", "a URL or base64"))
	case f.ConfigDriveText:
		return pass("sent unchanged", models.Observed("configdrive", "a URL or base64"))
	case f.Plan.ConfigDrive.isSet() || f.UserData != nil:
		return pass("an object")
	}
	return finding{}
}

// checkMetaData checks the meta data that the agent evaluates. The kernel arguments must be a list of no more than
// one item: the agent joins several items with commas, and coreos-installer takes the result as one argument. The
// agent would split a string into letters.
func checkMetaData(f *Facts) finding {
	meta := f.Plan.ConfigDrive.MetaData
	if f.Kind != KindInstallCoreOS || len(meta) == 0 {
		return finding{}
	}
	var wrong []string
	var evidence []models.Observation
	if v, given := meta["coreos_append_karg"]; given {
		evidence = append(evidence, models.Observed("coreos_append_karg", v))
		list, isList := v.([]any)
		notText := func(v any) bool { return models.TextOf(v) == "" }
		switch {
		case !isList:
			wrong = append(wrong, "coreos_append_karg is not a list: the agent would split it into letters")
		case slices.ContainsFunc(list, notText):
			wrong = append(wrong, "coreos_append_karg has an element that is not a string")
		case len(list) > 1:
			wrong = append(wrong, "coreos_append_karg has more than one argument: the agent joins them with commas into one")
		}
	}
	if v, given := meta["coreos_copy_network"]; given {
		evidence = append(evidence, models.Observed("coreos_copy_network", v))
		if _, is := v.(bool); !is {
			wrong = append(wrong, "coreos_copy_network is not true or false")
		}
	}
	if wrong != nil {
		return fail(strings.Join(wrong, "; "), "for several arguments, use kernelArguments in the Ignition config (spec 3.3)", evidence...)
	}
	return pass("valid for the agent", evidence...)
}

// WebImage returns the image that the deployment writes, and reports whether it is on a web server.
func (f *Facts) WebImage() (Image, bool) {
	image, _ := f.imageOf()
	return image, slices.ContainsFunc(f.possibleKinds(), Kind.WritesImage) && isWeb(image.Source)
}

// imageOf returns the effective image, which is the plan's or, if the plan has none, the node's. It also returns the
// name of the field that determines it.
func (f *Facts) imageOf() (image Image, from string) {
	if f.Plan.Image.Source != "" {
		return f.Plan.Image, "image.source"
	}
	info := f.Node.InstanceInfo
	image = Image{Source: models.TextOf(info["image_source"]), Checksum: models.TextOf(info["image_checksum"])}
	if image.Checksum == "" {
		image.Checksum, image.Algorithm = models.TextOf(info["image_os_hash_value"]), models.TextOf(info["image_os_hash_algo"])
	}
	if f.Plan.Image.Checksum != "" {
		image.Checksum, image.Algorithm = f.Plan.Image.Checksum, f.Plan.Image.Algorithm
	}
	return image, "instance_info.image_source"
}

// checkImage checks image_source, which the direct, ansible and bootc deploy interfaces validate. Since API 1.83, a
// rebuild without an image fails with HTTP status 500 for every deploy interface, because the conductor first looks
// up the image in Glance.
func checkImage(f *Facts) finding {
	image, from := f.imageOf()
	switch {
	case image.Source == "" && f.Rebuilds() && hints.GenerationOf(f.Version) == hints.GenerationNewest:
		return fail("Ironic answers a rebuild without an image with HTTP 500 and does nothing",
			"set image.source in the plan, or run ironworks set "+f.Node.Label()+" instance_info.image_source=URL", models.Observed(from, "none")).
			onScreen("set the image on the Ramdisk page, or " + models.RunKey("set", "instance_info.image_source=URL"))
	case f.Kind.WritesImage() && image.Source == "":
		return fail(fmt.Sprintf("a deployment with %s needs an image", models.OrNone(f.Kind.deployInterface())), "set image.source in the plan", models.Observed(from, "none")).
			onScreen("set the image on the Ramdisk page")
	case image.Source == "":
		return finding{}
	case f.Kind == KindBootc && !isOCI(image.Source):
		return fail("bootc installs oci:// images only", "use image.source: oci://REGISTRY/REPOSITORY@sha256:DIGEST", models.Observed(from, models.MaskURL(image.Source)))
	}
	return pass("image set", models.Observed(from, models.MaskURL(image.Source)))
}

// checkImageSum checks the checksum in the same way as Ironic's validate method (ironic/drivers/modules/agent.py).
// Only images on web servers need a checksum; those in Glance, in files and in registries (oci://) do not.
func checkImageSum(f *Facts) finding {
	image, from := f.imageOf()
	if f.Kind != KindDirect || !isWeb(image.Source) {
		return finding{}
	}
	at := models.Observed(from, models.MaskURL(image.Source))
	_, err := image.Hash()
	switch {
	case image.Checksum == "":
		return fail("Ironic requires a checksum for an HTTP image", "set image.checksum in the plan", at).onScreen("set the checksum on the Ramdisk page")
	case err != nil:
		return fail(err.Error(), "set image.algorithm to md5, sha256 or sha512", at, models.Observed("checksum", models.MaskURL(image.Checksum)))
	}
	return pass("checksum set", at, models.Observed("checksum", models.MaskURL(image.Checksum)))
}

// Hash returns the algorithm of the checksum. If the plan does not name it, the length of the checksum determines it.
// If the checksum is a URL, Ironic downloads the actual checksum; Hash then returns the plan's algorithm, which may
// be empty.
func (i Image) Hash() (string, error) {
	byLength := map[int]string{32: "md5", 64: "sha256", 128: "sha512"}
	algorithm := strings.ToLower(i.Algorithm)
	known := slices.Contains([]string{"md5", "sha256", "sha512"}, algorithm)
	isHex := !strings.ContainsFunc(i.Checksum, func(r rune) bool { return !strings.ContainsRune("0123456789abcdefABCDEF", r) })
	switch {
	case i.Checksum == "":
		return "", nil
	case strings.Contains(i.Checksum, "://"):
		return algorithm, nil
	case !isHex || byLength[len(i.Checksum)] == "":
		return "", fmt.Errorf("the checksum is not an md5, sha256 or sha512 digest")
	case algorithm == "":
		return byLength[len(i.Checksum)], nil
	case !known:
		return "", fmt.Errorf("unknown checksum algorithm %q", printable.Line(i.Algorithm))
	case byLength[len(i.Checksum)] != algorithm:
		return "", fmt.Errorf("the checksum's length fits %s, not %s", byLength[len(i.Checksum)], algorithm)
	}
	return algorithm, nil
}
