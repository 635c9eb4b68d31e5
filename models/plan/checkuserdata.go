package plan

import (
	"fmt"
	"slices"
	"strings"

	"ironworks/models"
)

// UserDataReader is the program that reads the user data on the installed system.
type UserDataReader string

// The possible readers. An empty value means that the reader is unknown.
const (
	ReaderIgnition  UserDataReader = "ignition"
	ReaderCloudInit UserDataReader = "cloud-init"
	// ReaderOther is any other program. It receives the user data unchanged.
	ReaderOther UserDataReader = "other"
)

// UserDataReaders returns all readers.
func UserDataReaders() []UserDataReader {
	return []UserDataReader{ReaderIgnition, ReaderCloudInit, ReaderOther}
}

// Reader returns the program that reads the user data on the installed system, and the reason for choosing it. The
// assumed result is true if only the format of the user data suggests the reader.
func (f *Facts) Reader() (reader UserDataReader, why string, assumed bool) {
	image, _ := f.imageOf()
	switch {
	case f.Kind == KindInstallCoreOS:
		return ReaderIgnition, "install_coreos passes user data to Ignition", false
	case f.Plan.ConfigDrive.Reader != "":
		return f.Plan.ConfigDrive.Reader, "set in the plan", false
	case f.Kind == KindAnaconda:
		// ironic/common/kickstart_utils.py writes the configdrive to /var/lib/cloud/seed/config_drive.
		return ReaderCloudInit, "the kickstart stores the configdrive for cloud-init", false
	case f.Kind.WritesImage() && looksLikeCoreOS(image.Source):
		return ReaderIgnition, "image name contains CoreOS", false
	case f.UserData != nil && f.UserData.Language != "":
		return f.UserData.Language, "format of the user data", true
	}
	return "", "", true
}

// looksLikeCoreOS reports whether the image's name suggests that it is an image of Fedora CoreOS, RHEL CoreOS, CentOS
// Stream CoreOS or Flatcar.
func looksLikeCoreOS(source string) bool {
	name := strings.ToLower(source[strings.LastIndex(source, "/")+1:])
	return slices.ContainsFunc([]string{"coreos", "rhcos", "fcos", "scos", "flatcar"}, func(word string) bool { return strings.Contains(name, word) })
}

const checkFile = "check the file on the Ignition screen (:ignition)"

// checkUserData validates the user data for its reader. Ironic and the agent accept any user data, so errors in it
// would show only at the machine's first boot.
func checkUserData(f *Facts) finding {
	u := f.UserData
	if u == nil || methods[f.Kind].disk == diskNone && f.Kind != KindRamdisk {
		return finding{}
	}
	reader, why, _ := f.Reader()
	at := []models.Observation{models.Observed("user_data", u.Kind), models.Observed("reader", strings.TrimSuffix(models.OrNone(string(reader))+": "+why, ": "))}
	var errors []models.Observation
	for _, p := range u.Findings {
		if p.Error {
			errors = append(errors, models.Observed(p.ID, p.Text))
		}
	}
	switch {
	case reader == ReaderOther && u.Language == ReaderIgnition && u.Kind != kindIgnition:
		return fail(fmt.Sprintf("the user data is %s, which must be translated first", u.Kind),
			"to translate it, set configdrive.reader: ignition", at...).onScreen("to translate it, set the reader on the First boot page to ignition")
	case reader == ReaderOther:
		return unknown("user data sent unchanged; reader unknown", "", at...)
	case reader == "":
		return fail(fmt.Sprintf("the user data (%s) is for neither Ignition nor cloud-init", u.Kind),
			"set configdrive.reader in the plan (--user-data-reader): ignition, cloud-init or other", append(at, errors...)...).
			onScreen("set the reader on the First boot page: ignition, cloud-init or other")
	case reader == ReaderIgnition && u.onlyLoginFails():
		return fail(fmt.Sprintf("the user data (%s) has keys or passwords that are not accepted: logging in to the installed system would fail", u.Kind),
			"ironworks ignition check FILE", append(errors, at...)...).onScreen(checkFile)
	case reader == ReaderIgnition && (u.Language != reader || !u.OK):
		return fail(fmt.Sprintf("the user data (%s) is not valid Ignition: the machine would boot into an emergency shell", u.Kind),
			"ironworks ignition check FILE", append(errors, at...)...).onScreen(checkFile)
	case u.Language != reader:
		return fail(fmt.Sprintf("cloud-init ignores user data in %s", models.OrNone(u.Kind)), "start the data with #cloud-config, or set another reader in configdrive.reader", at...).
			onScreen("start the data with #cloud-config, or set another reader on the First boot page")
	case !u.OK:
		return fail("cloud-init cannot read the user data", "correct the user data", append(errors, at...)...)
	}
	return pass(string(reader)+" can read the user data", append(at, models.Observed("bytes sent", u.Sent))...)
}

// onlyLoginFails reports whether there are errors and all of them concern SSH keys or passwords, which Ignition does
// not check.
func (u *UserDataFacts) onlyLoginFails() bool {
	login := false
	for _, p := range u.Findings {
		if !p.Error {
			continue
		}
		if login = strings.HasPrefix(p.ID, "ssh-") || strings.HasPrefix(p.ID, "password-"); !login {
			return false
		}
	}
	return login
}

// kindIgnition is the kind of user data that Ignition can read without a translation.
const kindIgnition = "ignition"

// checkUserDataReader warns if the reader is only assumed, or if the user data does not reach any reader.
func checkUserDataReader(f *Facts) finding {
	if f.UserData == nil {
		return finding{}
	}
	at := models.Observed("boot_interface", models.OrNone(f.Node.BootInterface))
	switch {
	case f.Kind == KindAssisted:
		return fail("the Assisted Installer ignores user data", "configure the hosts in the Assisted Installer")
	case f.Kind == KindFake:
		return fail("a fake deployment delivers no user data", "")
	case f.Kind == KindRamdisk && !strings.Contains(f.Node.BootInterface, "virtual-media"):
		// ramdisk.py omits the configdrive if the boot interface lacks the ramdisk_boot_configdrive capability.
		return fail("no configdrive: the boot interface cannot attach one to a ramdisk", "set boot_interface to redfish-virtual-media", at)
	}
	reader, why, assumed := f.Reader()
	if !assumed || reader == "" {
		return finding{}
	}
	return fail(fmt.Sprintf("the user data is assumed to be for %s (%s)", reader, why),
		"set configdrive.reader in the plan, or pass --user-data-reader", models.Observed("user_data", f.UserData.Kind)).
		onScreen("set the reader on the First boot page")
}

// checkUserDataOdd warns about valid user data that may not have the intended effect.
func checkUserDataOdd(f *Facts) finding {
	coreOS := f.Kind == KindInstallCoreOS
	switch {
	case f.ConfigDriveText || !f.readsUserData():
		return finding{}
	case f.UserData == nil && !coreOS:
		return finding{}
	case f.UserData == nil && f.Rebuilds() && f.Node.InstanceInfo["configdrive"] != nil:
		return pass("the last deployment's configdrive is reused", models.Observed("instance_info.configdrive", "set"))
	case f.UserData == nil:
		return fail("no user data: no way to log in to the installed system", "pass --user-data FILE").onScreen("set the user data on the First boot page")
	}
	var evidence []models.Observation
	for _, p := range f.UserData.Findings {
		if !p.Error {
			evidence = append(evidence, models.Observed(p.ID, p.Text))
		}
	}
	if evidence != nil {
		remedy, screen := "ironworks ignition check FILE", checkFile
		if f.UserData.Language == ReaderCloudInit {
			remedy, screen = "", ""
		}
		return fail(models.Counted(len(evidence), "warning")+" about the user data", remedy, evidence...).onScreen(screen)
	}
	return pass("no warnings")
}

// readsUserData reports whether the installed system can read user data.
func (f *Facts) readsUserData() bool { return f.Kind != KindAssisted && f.Kind != KindFake }
