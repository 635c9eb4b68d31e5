package plan

import (
	"fmt"
	"slices"
	"strings"

	"ironworks/models"
)

// UserDataReader is the program that reads the user data on the installed system.
type UserDataReader string

// The readers. An empty one is not known.
const (
	ReaderIgnition  UserDataReader = "ignition"
	ReaderCloudInit UserDataReader = "cloud-init"
	// ReaderOther is a program that is not known here: it gets the user data as it is.
	ReaderOther UserDataReader = "other"
)

// UserDataReaders lists them.
func UserDataReaders() []UserDataReader {
	return []UserDataReader{ReaderIgnition, ReaderCloudInit, ReaderOther}
}

// Reader is who reads the user data, and why that is believed. It is assumed where only
// the user data themselves tell.
func (f *Facts) Reader() (reader UserDataReader, why string, assumed bool) {
	image, _ := f.imageOf()
	switch {
	case f.Kind == KindInstallCoreOS:
		return ReaderIgnition, "install_coreos passes user data to Ignition", false
	case f.Plan.ConfigDrive.Reader != "":
		return f.Plan.ConfigDrive.Reader, "the plan says so", false
	case f.Kind == KindAnaconda:
		// ironic/common/kickstart_utils.py writes them to /var/lib/cloud/seed/config_drive.
		return ReaderCloudInit, "the kickstart stores the configdrive for cloud-init", false
	case f.Kind.WritesImage() && looksLikeCoreOS(image.Source):
		return ReaderIgnition, "the image's name says CoreOS", false
	case f.UserData != nil && f.UserData.Language != "":
		return f.UserData.Language, "the user data is written for it", true
	}
	return "", "", true
}

// looksLikeCoreOS goes by the names that Fedora CoreOS, RHEL CoreOS, CentOS Stream CoreOS
// and Flatcar give their images.
func looksLikeCoreOS(source string) bool {
	name := strings.ToLower(source[strings.LastIndex(source, "/")+1:])
	return slices.ContainsFunc([]string{"coreos", "rhcos", "fcos", "scos", "flatcar"}, func(word string) bool { return strings.Contains(name, word) })
}

// checkUserData: what the reader cannot read, Ironic and the agent take all the same. It
// fails at the machine's first boot.
func checkUserData(f *Facts) finding {
	u := f.UserData
	if u == nil || f.Kind.disk() == diskNone && f.Kind != KindRamdisk {
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
		return bad(fmt.Sprintf("the user data is %s, which no machine reads untranslated", u.Kind),
			"configdrive.reader: ignition translates it", at...)
	case reader == ReaderOther:
		return unknown("the user data is sent as it is; their reader is not known here", "", at...)
	case reader == "":
		return bad(fmt.Sprintf("the user data (%s) is neither for Ignition nor for cloud-init", u.Kind),
			"configdrive.reader in the plan (--user-data-reader) names what reads them: ignition, cloud-init or other", append(at, errors...)...)
	case reader == ReaderIgnition && (u.Language != reader || !u.OK):
		return bad(fmt.Sprintf("the user data (%s) is not valid Ignition: the machine would boot into an emergency shell", u.Kind),
			"ironworks ignition check FILE", append(errors, at...)...)
	case u.Language != reader:
		return bad(fmt.Sprintf("cloud-init ignores user data in %s", models.OrNone(u.Kind)), "write #cloud-config, or name another reader in configdrive.reader", at...)
	case !u.OK:
		return bad("cloud-init cannot read the user data", "correct it", append(errors, at...)...)
	}
	return good(string(reader)+" can read the user data", append(at, models.Observed("bytes sent", u.Sent))...)
}

// kindIgnition is the kind of user data that is sent without translation.
const kindIgnition = "ignition"

// checkUserDataReader warns where only the user data tell who reads them, and where
// nobody will.
func checkUserDataReader(f *Facts) finding {
	if f.UserData == nil {
		return finding{}
	}
	at := models.Observed("boot_interface", models.OrNone(f.Node.BootInterface))
	switch {
	case f.Kind == KindAssisted:
		return bad("the Assisted Installer's agent does not read user data", "configure the hosts in the Assisted Installer")
	case f.Kind == KindFake:
		return bad("a fake deployment sends user data to no machine", "")
	case f.Kind == KindRamdisk && !strings.Contains(f.Node.BootInterface, "virtual-media"):
		// ramdisk.py: without the capability ramdisk_boot_configdrive it is left out.
		return bad("Ironic leaves out the configdrive: the boot interface cannot attach it to a ramdisk", "boot_interface: redfish-virtual-media", at)
	}
	reader, why, assumed := f.Reader()
	if !assumed || reader == "" {
		return finding{}
	}
	return bad(fmt.Sprintf("it is assumed that %s reads the user data: %s", reader, why),
		"configdrive.reader in the plan, or --user-data-reader, says it", models.Observed("user_data", f.UserData.Kind))
}

// checkUserDataOdd is about Ignition and cloud-config that are valid and may not do what
// was meant.
func checkUserDataOdd(f *Facts) finding {
	coreOS := f.Kind == KindInstallCoreOS
	switch {
	case f.ConfigDriveText || !f.readsUserData():
		return finding{}
	case f.UserData == nil && !coreOS:
		return finding{}
	case f.UserData == nil && f.Rebuilds() && f.Node.InstanceInfo["configdrive"] != nil:
		return good("the configdrive of the last deployment is used again", models.Observed("instance_info.configdrive", "set"))
	case f.UserData == nil:
		return bad("no user data: nobody can log in to the installed system", "--user-data FILE")
	}
	var evidence []models.Observation
	for _, p := range f.UserData.Findings {
		if !p.Error {
			evidence = append(evidence, models.Observed(p.ID, p.Text))
		}
	}
	if evidence != nil {
		wayOut := "ironworks ignition check FILE"
		if f.UserData.Language == ReaderCloudInit {
			wayOut = ""
		}
		return bad(models.Counted(len(evidence), "warning")+" about the user data", wayOut, evidence...)
	}
	return good("no warnings")
}

// readsUserData says that the installed system may read them.
func (f *Facts) readsUserData() bool { return f.Kind != KindAssisted && f.Kind != KindFake }
