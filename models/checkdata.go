package models

import (
	"fmt"
	"slices"
	"strings"
)

func checkConfigDrive(f *Facts) finding {
	switch {
	case f.ConfigDriveText && f.Kind.Interface() == "custom-agent":
		return bad("install_coreos cannot use a rendered configdrive", "give an object with user_data", saw("configdrive", "a URL or base64"))
	case f.ConfigDriveText:
		return good("it is sent as it is", saw("configdrive", "a URL or base64"))
	case f.Plan.ConfigDrive.Given() || f.UserData != nil:
		return good("an object")
	}
	return finding{}
}

// ignites says that the installed system reads its user data with Ignition.
func (f *Facts) ignites() bool { return f.Kind == KindInstallCoreOS }

func checkUserData(f *Facts) finding {
	u := f.UserData
	switch {
	case u == nil:
		return finding{}
	case !f.ignites():
		return unknown("what the installed system makes of it is not known here", "", saw("user_data", u.Kind))
	case u.OK:
		return good("Ignition takes it", saw("user_data", u.Kind), saw("bytes sent", u.Sent))
	}
	var evidence []CheckEvidence
	for _, p := range u.Findings {
		if p.Error {
			evidence = append(evidence, saw(p.ID, p.Text))
		}
	}
	// Ironic takes it, and so does the agent: what fails is the machine's first boot.
	return bad(fmt.Sprintf("the user data (%s) is not valid Ignition: the machine would boot into an emergency shell", u.Kind),
		"ironworks ignition check FILE", evidence...)
}

func checkUserDataOdd(f *Facts) finding {
	switch {
	case !f.ignites() || f.ConfigDriveText:
		return finding{}
	case f.UserData == nil && f.Rebuilds() && f.Node.InstanceInfo["configdrive"] != nil:
		return good("the configdrive of the last deployment is used again", saw("instance_info.configdrive", "is there"))
	case f.UserData == nil:
		return bad("there is no user data: nobody can log in to what is installed", "--user-data FILE")
	}
	var evidence []CheckEvidence
	for _, p := range f.UserData.Findings {
		if !p.Error {
			evidence = append(evidence, saw(p.ID, p.Text))
		}
	}
	if evidence != nil {
		return bad(fmt.Sprintf("%d doubts about the user data", len(evidence)), "ironworks ignition check FILE", evidence...)
	}
	return good("nothing is doubtful")
}

// checkMetaData: the agent joins the arguments with commas, of which coreos-installer
// makes one argument; a text is taken apart into its letters.
func checkMetaData(f *Facts) finding {
	meta := f.Plan.ConfigDrive.MetaData
	if !f.ignites() || len(meta) == 0 {
		return finding{}
	}
	var wrong []string
	var evidence []CheckEvidence
	if v, given := meta["coreos_append_karg"]; given {
		evidence = append(evidence, saw("coreos_append_karg", v))
		list, isList := v.([]any)
		notText := func(v any) bool { return textOf(v) == "" }
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
		evidence = append(evidence, saw("coreos_copy_network", v))
		if _, is := v.(bool); !is {
			wrong = append(wrong, "coreos_copy_network is neither true nor false")
		}
	}
	if wrong != nil {
		return bad(strings.Join(wrong, "; "), "kernelArguments in the Ignition (spec 3.3) do it for several arguments", evidence...)
	}
	return good("the agent can use them", evidence...)
}

// WebImage is the image of a direct deployment that a web server has.
func (f *Facts) WebImage() (PlanImage, bool) {
	image, _ := f.imageOf()
	return image, f.Kind == KindDirect && isWeb(image.Source)
}

// imageOf is the image that will count: the plan's, else the node's.
func (f *Facts) imageOf() (image PlanImage, from string) {
	if f.Plan.Image.Source != "" {
		return f.Plan.Image, "image.source"
	}
	info := f.Node.InstanceInfo
	image = PlanImage{Source: textOf(info["image_source"]), Checksum: textOf(info["image_checksum"])}
	if image.Checksum == "" {
		image.Checksum, image.Algorithm = textOf(info["image_os_hash_value"]), textOf(info["image_os_hash_algo"])
	}
	if f.Plan.Image.Checksum != "" {
		image.Checksum, image.Algorithm = f.Plan.Image.Checksum, f.Plan.Image.Algorithm
	}
	return image, "instance_info.image_source"
}

func checkImage(f *Facts) finding {
	image, from := f.imageOf()
	switch {
	case f.Kind == KindDirect && image.Source == "":
		return bad("a direct deployment needs an image", "image.source in the plan", saw(from, "none"))
	case image.Source == "" && f.Rebuilds() && GenerationOf(f.Version) == GenerationNewest:
		return unknown("new Ironics answer 500 to a rebuild without an image, and then do nothing",
			"undeploy the node, then deploy it; or set any instance_info.image_source", saw(from, "none"))
	case image.Source == "":
		return finding{}
	}
	return good("there is an image", saw(from, MaskURL(image.Source)))
}

func checkImageSum(f *Facts) finding {
	image, from := f.imageOf()
	source := strings.ToLower(image.Source)
	fetched := strings.HasPrefix(source, "http://") || strings.HasPrefix(source, "https://") || strings.HasPrefix(source, "file://")
	if f.Kind != KindDirect || !fetched {
		return finding{}
	}
	at := saw(from, MaskURL(image.Source))
	_, err := image.Hash()
	switch {
	case image.Checksum == "":
		return bad("Ironic wants a checksum of an image that it has no record of", "image.checksum in the plan", at)
	case err != nil:
		return bad(err.Error(), "image.algorithm: md5, sha256 or sha512", at, saw("checksum", MaskURL(image.Checksum)))
	}
	return good("it has a checksum", at, saw("checksum", MaskURL(image.Checksum)))
}

// Hash names the kind of the image's checksum: what it says, or what its length says.
// The URL of a checksum has none: Ironic reads it.
func (i PlanImage) Hash() (string, error) {
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
		return "", fmt.Errorf("no checksum algorithm %q", Printable(i.Algorithm))
	case byLength[len(i.Checksum)] != algorithm:
		return "", fmt.Errorf("the checksum has the length of %s, not of %s", byLength[len(i.Checksum)], algorithm)
	}
	return algorithm, nil
}
