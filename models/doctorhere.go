package models

import (
	"fmt"
	"strings"
)

// judgeSSHKeys: the journal of a ramdisk is followed over SSH.
func judgeSSHKeys(f *DoctorFacts) Diagnosis {
	h := &f.Here
	var evidence []CheckEvidence
	if len(h.Named) > 0 {
		evidence = append(evidence, saw("logs.ssh.keys", someOf(h.Named)))
	}
	for _, n := range h.KeyNotes {
		evidence = append(evidence, saw("note", n))
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
	return well(counted(h.Keys, "SSH key")+" for ramdisks", evidence...)
}

func judgeJournal(f *DoctorFacts) Diagnosis {
	j := &f.Here.Journal
	evidence := []CheckEvidence{saw("file", orNone(j.Path))}
	switch {
	case j.Path == "":
		return doubtful("nothing is kept: there is no folder for a journal", "HOME or XDG_STATE_HOME says where", evidence...)
	case j.Error != "":
		return doubtful("the journal cannot be used: "+j.Error, "what happens is not kept, and explain knows less (docs/journal.md)", evidence...)
	}
	evidence = append(evidence, saw("lines bound", FormatBytes(j.MaxSize)), saw("kept for", Age(j.MaxAge)))
	if j.Dropped > 0 {
		return doubtful(fmt.Sprintf("the journal had no room for %s", counted(int(j.Dropped), "record")), "ironworks journal info tells when", evidence...)
	}
	if j.Bytes == 0 {
		return well("the journal is new", evidence...)
	}
	return well("the journal has "+FormatBytes(j.Bytes)+", of at most about "+FormatBytes(j.MaxSize)+" for lines", evidence...)
}

// judgeAudit: what cannot be recorded is not done.
func judgeAudit(f *DoctorFacts) Diagnosis {
	h := &f.Here
	at := saw("file", orNone(h.Audit))
	switch {
	case h.AuditError != "":
		return broken("the audit cannot be written, and what cannot be recorded is not done: "+h.AuditError, "make the file and its folder writable (docs/audit.md)", at)
	case h.AuditNew:
		return well("the audit can be made", at)
	}
	return well("the audit can be written", at)
}

// judgeBMC: credentials are told to be there, and nothing else of them.
func judgeBMC(f *DoctorFacts) Diagnosis {
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
func judgeLabVMs(f *DoctorFacts) Diagnosis {
	switch h := &f.Here; {
	case h.VMsMissing != "":
		return well("no virtual machines for the lab: " + h.VMsMissing)
	case h.NoKVM != "":
		return well("QEMU and UEFI firmware for the lab's virtual machines, without KVM (10 to 20 times slower): " + h.NoKVM)
	}
	return well("QEMU, UEFI firmware and /dev/kvm for the lab's virtual machines")
}

func judgeTerminal(f *DoctorFacts) Diagnosis {
	t := &f.Here.Terminal
	locale := "UTF-8"
	if !t.UTF8 {
		locale = "no UTF-8: the console wants --ascii"
	}
	evidence := []CheckEvidence{saw("TERM", orNone(t.Term)), saw("colours", orNone(t.Colours)), saw("locale", orNone(t.Locale))}
	if !t.Is {
		return well("no terminal here; "+locale, evidence...)
	}
	evidence = append(evidence, saw("size", fmt.Sprintf("%d×%d", t.Width, t.Height)))
	text := []string{orNone(t.Term), fmt.Sprintf("%d×%d", t.Width, t.Height), t.Colours, locale}
	if t.Width < 80 || t.Height < 24 {
		text = append(text, "smaller than the 80×24 that the console wants")
	}
	return well(strings.Join(text, ", "), evidence...)
}
