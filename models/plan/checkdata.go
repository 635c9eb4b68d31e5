package plan

import (
	"fmt"
	"slices"
	"strings"

	"ironworks/models"
	"ironworks/models/hints"
)

func checkConfigDrive(f *Facts) finding {
	switch {
	case f.ConfigDriveText && f.Kind.deployInterface() == "custom-agent":
		return bad("install_coreos cannot use a rendered configdrive", "give an object with user_data", models.Observed("configdrive", "a URL or base64"))
	case f.ConfigDriveText:
		return good("it is sent as it is", models.Observed("configdrive", "a URL or base64"))
	case f.Plan.ConfigDrive.given() || f.UserData != nil:
		return good("an object")
	}
	return finding{}
}

// checkMetaData: the agent joins the arguments with commas, of which coreos-installer
// makes one argument; a text is taken apart into its letters.
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
			wrong = append(wrong, "coreos_append_karg is no list: the agent would take it apart into letters")
		case slices.ContainsFunc(list, notText):
			wrong = append(wrong, "coreos_append_karg has something else than text in it")
		case len(list) > 1:
			wrong = append(wrong, "coreos_append_karg has more than one argument: the agent joins them with commas, and coreos-installer makes one of that")
		}
	}
	if v, given := meta["coreos_copy_network"]; given {
		evidence = append(evidence, models.Observed("coreos_copy_network", v))
		if _, is := v.(bool); !is {
			wrong = append(wrong, "coreos_copy_network is neither true nor false")
		}
	}
	if wrong != nil {
		return bad(strings.Join(wrong, "; "), "kernelArguments in the Ignition (spec 3.3) do it for several arguments", evidence...)
	}
	return good("the agent can use them", evidence...)
}

// WebImage is the image that a web server has, where the deployment writes one.
func (f *Facts) WebImage() (Image, bool) {
	image, _ := f.imageOf()
	return image, slices.ContainsFunc(f.possible(), Kind.WritesImage) && isWeb(image.Source)
}

// imageOf is the image that will count: the plan's, else the node's.
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

// checkImage: direct, ansible and bootc refuse a node without image_source when they
// validate it. Since 1.83 a rebuild without one is answered with 500, whatever the
// deploy interface: the conductor looks the image up in Glance first.
func checkImage(f *Facts) finding {
	image, from := f.imageOf()
	switch {
	case image.Source == "" && f.Rebuilds() && hints.GenerationOf(f.Version) == hints.GenerationNewest:
		return bad("Ironic answers a rebuild without an image with an internal error (500) and does nothing",
			"image.source in the plan, or ironworks set "+f.Node.Label()+" instance_info.image_source=URL", models.Observed(from, "none"))
	case f.Kind.WritesImage() && image.Source == "":
		return bad(fmt.Sprintf("a deployment by %s needs an image", models.OrNone(f.Kind.deployInterface())), "image.source in the plan", models.Observed(from, "none"))
	case image.Source == "":
		return finding{}
	case f.Kind == KindBootc && !isOCI(image.Source):
		return bad("bootc installs oci:// images only", "image.source: oci://REGISTRY/REPOSITORY@sha256:DIGEST", models.Observed(from, models.MaskURL(image.Source)))
	}
	return good("there is an image", models.Observed(from, models.MaskURL(image.Source)))
}

// checkImageSum: validate of ironic/drivers/modules/agent.py wants no checksum of images
// from Glance, of files and of oci:// images.
func checkImageSum(f *Facts) finding {
	image, from := f.imageOf()
	if f.Kind != KindDirect || !isWeb(image.Source) {
		return finding{}
	}
	at := models.Observed(from, models.MaskURL(image.Source))
	_, err := image.Hash()
	switch {
	case image.Checksum == "":
		return bad("Ironic wants a checksum of an image that it has no record of", "image.checksum in the plan", at)
	case err != nil:
		return bad(err.Error(), "image.algorithm: md5, sha256 or sha512", at, models.Observed("checksum", models.MaskURL(image.Checksum)))
	}
	return good("it has a checksum", at, models.Observed("checksum", models.MaskURL(image.Checksum)))
}

// Hash names the kind of the image's checksum: what it says, or what its length says.
// The URL of a checksum has none: Ironic reads it.
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
		return "", fmt.Errorf("the checksum is no digest of md5, sha256 or sha512")
	case algorithm == "":
		return byLength[len(i.Checksum)], nil
	case !known:
		return "", fmt.Errorf("no checksum algorithm %q", models.Printable(i.Algorithm))
	case byLength[len(i.Checksum)] != algorithm:
		return "", fmt.Errorf("the checksum has the length of %s, not of %s", byLength[len(i.Checksum)], algorithm)
	}
	return algorithm, nil
}
