package doctor

import (
	"fmt"
	"strings"

	"ironworks/models"
)

// judgeSSHKeys: the journal of a ramdisk is followed over SSH.
func judgeSSHKeys(f *Facts) Diagnosis {
	h := &f.Here
	var evidence []models.Observation
	if len(h.Named) > 0 {
		evidence = append(evidence, models.Observed("logs.ssh.keys", someOf(h.Named)))
	}
	for _, n := range h.KeyNotes {
		evidence = append(evidence, models.Observed("note", n))
	}
	hint := "logs: {ssh: {keys: […]}} in the context, or ssh-add; without a key the ramdisks' logs come pushed or from an archive (docs/logs.md)"
	switch {
	case len(h.Named) > 0 && len(h.KeyNotes) > 0:
		return doubtful("not all SSH keys for ramdisks can be used: "+h.KeyNotes[0], hint, evidence...)
	case h.Keys == 0 && len(h.KeyNotes) > 0:
		return doubtful("no SSH key for ramdisks: "+h.KeyNotes[0], hint, evidence...)
	case h.Keys == 0:
		return well("no SSH key for ramdisks: their logs have to be pushed", evidence...)
	}
	return well(models.Counted(h.Keys, "SSH key")+" for ramdisks", evidence...)
}

func judgeJournal(f *Facts) Diagnosis {
	j := &f.Here.Journal
	evidence := []models.Observation{models.Observed("file", models.OrNone(j.Path))}
	switch {
	case j.Path == "":
		return doubtful("nothing is kept: there is no folder for a journal", "HOME or XDG_STATE_HOME says where", evidence...)
	case j.Error != "":
		return doubtful("the journal cannot be used: "+j.Error, "what happens is not kept, and explain knows less (docs/journal.md)", evidence...)
	}
	evidence = append(evidence, models.Observed("lines bound", models.FormatBytes(j.MaxSize)), models.Observed("kept for", models.Age(j.MaxAge)))
	if j.Dropped > 0 {
		return doubtful(fmt.Sprintf("the journal had no room for %s", models.Counted(int(j.Dropped), "record")), "ironworks journal info tells when", evidence...)
	}
	if j.Bytes == 0 {
		return well("the journal is new", evidence...)
	}
	return well("the journal has "+models.FormatBytes(j.Bytes)+", of at most about "+models.FormatBytes(j.MaxSize)+" for lines", evidence...)
}

// judgeAudit: what cannot be recorded is not done.
func judgeAudit(f *Facts) Diagnosis {
	h := &f.Here
	at := models.Observed("file", models.OrNone(h.Audit))
	switch {
	case h.AuditError != "":
		return broken("the audit cannot be written, and what cannot be recorded is not done: "+h.AuditError, "make the file and its folder writable (docs/audit.md)", at)
	case h.AuditNew:
		return well("the audit can be made", at)
	}
	return well("the audit can be written", at)
}

// judgeBMC: credentials are told to be there, and nothing else of them.
func judgeBMC(f *Facts) Diagnosis {
	switch user, password := f.Here.BMCUser, f.Here.BMCPassword; {
	case password && user != "":
		return well("there are credentials for BMCs, user " + user)
	case password:
		return well("there is a password for BMCs; the user is each node's own")
	case f.Here.BMCKeyring:
		return well("no password for BMCs but what the keyring may have, which was not asked")
	}
	return well("no password for BMCs: ironworks bmc asks for one (bmc: in the context, IRONWORKS_BMC_PASSWORD)")
}

// judgeLabVMs: only lab up --vms needs virtual machines, so that nothing here is a fault.
func judgeLabVMs(f *Facts) Diagnosis {
	switch h := &f.Here; {
	case h.VMsMissing != "":
		return well("no virtual machines for the lab: " + h.VMsMissing)
	case h.NoKVM != "":
		return well("QEMU and UEFI firmware for the lab's virtual machines, without KVM (10 to 20 times slower): " + h.NoKVM)
	}
	return well("QEMU, UEFI firmware and /dev/kvm for the lab's virtual machines")
}

func judgeTerminal(f *Facts) Diagnosis {
	t := &f.Here.Terminal
	locale := "UTF-8"
	if !t.UTF8 {
		locale = "no UTF-8: the console wants --ascii"
	}
	evidence := []models.Observation{models.Observed("TERM", models.OrNone(t.Term)), models.Observed("colours", models.OrNone(t.Colours)), models.Observed("locale", models.OrNone(t.Locale))}
	if !t.Is {
		return well("no terminal here; "+locale, evidence...)
	}
	evidence = append(evidence, models.Observed("size", fmt.Sprintf("%d×%d", t.Width, t.Height)))
	text := []string{models.OrNone(t.Term), fmt.Sprintf("%d×%d", t.Width, t.Height), t.Colours, locale}
	if t.Width < 80 || t.Height < 24 {
		text = append(text, "smaller than the 80×24 that the console wants")
	}
	return well(strings.Join(text, ", "), evidence...)
}
