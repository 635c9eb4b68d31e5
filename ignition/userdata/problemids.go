package userdata

// ProblemID identifies a kind of [Problem]. The IDs are stable, so that scripts can rely on them.
// docs/reference/user-data.md lists the cause of each problem and how to fix it.
type ProblemID string

// These problems concern the format of the user data.
const (
	IDEmpty               ProblemID = "empty"
	IDNotIgnition         ProblemID = "not-ignition"
	IDCloudConfig         ProblemID = "cloud-config"
	IDCloudInit           ProblemID = "cloud-init"
	IDShellScript         ProblemID = "shell-script"
	IDMIME                ProblemID = "mime"
	IDSpec1               ProblemID = "spec-1"
	IDSpec2               ProblemID = "spec-2"
	IDConfigDrive         ProblemID = "configdrive"
	IDPacked              ProblemID = "packed"
	IDPackedBroken        ProblemID = "packed-broken"
	IDNested              ProblemID = "nested"
	IDMachineConfig       ProblemID = "machine-config"
	IDMachineConfigFields ProblemID = "machine-config-fields"
	IDNoVariant           ProblemID = "no-variant"
	IDButane              ProblemID = "butane"
	IDButaneWarning       ProblemID = "butane-warning"
	IDYAML                ProblemID = "yaml"
	IDSeveralDocuments    ProblemID = "several-documents"
	IDByteOrderMark       ProblemID = "byte-order-mark"
	IDEncoding            ProblemID = "encoding"
	IDSyntax              ProblemID = "syntax"
	IDTooLarge            ProblemID = "too-large"
	IDTooDeep             ProblemID = "too-deep"
	IDTooComplex          ProblemID = "too-complex"
	IDLibraryFailed       ProblemID = "library-failed"
	IDMoreProblems        ProblemID = "more-problems"
)

// These problems concern the syntax of the document.
const (
	IDDuplicateKey     ProblemID = "duplicate-key"
	IDWrongCaseKey     ProblemID = "wrong-case-key"
	IDUnknownKey       ProblemID = "unknown-key"
	IDWrongType        ProblemID = "wrong-type"
	IDLoneSurrogate    ProblemID = "lone-surrogate"
	IDControlCharacter ProblemID = "control-character"
	IDNoVersion        ProblemID = "no-version"
	IDBadVersion       ProblemID = "bad-version"
	IDExperimentalSpec ProblemID = "experimental-spec"
	IDSpecTooNew       ProblemID = "spec-too-new"
	IDSpecNew          ProblemID = "spec-new"
)

// These problems are reported by Ignition itself.
const (
	IDDuplicateEntry   ProblemID = "duplicate-entry"
	IDBadPath          ProblemID = "bad-path"
	IDBadURL           ProblemID = "bad-url"
	IDBadHash          ProblemID = "bad-hash"
	IDBadUnit          ProblemID = "bad-unit"
	IDBadMode          ProblemID = "bad-mode"
	IDNoInstallSection ProblemID = "no-install-section"
	IDIgnitionRule     ProblemID = "ignition-rule"
	IDIgnitionWarning  ProblemID = "ignition-warning"
)

// These problems concern the effect on the machine.
const (
	IDBadDataURL        ProblemID = "bad-data-url"
	IDNotGzip           ProblemID = "not-gzip"
	IDHashMismatch      ProblemID = "hash-mismatch"
	IDUnpackedSize      ProblemID = "unpacked-size"
	IDChildEmpty        ProblemID = "child-empty"
	IDChildNotIgnition  ProblemID = "child-not-ignition"
	IDMergedInvalid     ProblemID = "merged-invalid"
	IDHostname          ProblemID = "hostname"
	IDHostnameSource    ProblemID = "hostname-source"
	IDRemoteConfig      ProblemID = "remote-config"
	IDUnverifiedSource  ProblemID = "unverified-source"
	IDSSHKey            ProblemID = "ssh-key"
	IDSSHPrivateKey     ProblemID = "ssh-private-key"
	IDSSHKeyWeak        ProblemID = "ssh-key-weak"
	IDSSHKeyOptions     ProblemID = "ssh-key-options"
	IDSSHKeyLines       ProblemID = "ssh-key-lines"
	IDNoLogin           ProblemID = "no-login"
	IDLoginUnknown      ProblemID = "login-unknown"
	IDPasswordHash      ProblemID = "password-hash"
	IDPasswordNotHashed ProblemID = "password-not-hashed"
	IDNoName            ProblemID = "no-name"
	IDDecimalMode       ProblemID = "decimal-mode"
	IDKeyfileMode       ProblemID = "keyfile-mode"
	IDBadAccount        ProblemID = "bad-account"
	IDNoAccount         ProblemID = "no-account"
	IDPathTaken         ProblemID = "path-taken"
	IDImpossiblePath    ProblemID = "impossible-path"
	IDReadOnlyPath      ProblemID = "read-only-path"
	IDMayNotBoot        ProblemID = "may-not-boot"
	IDBadCA             ProblemID = "bad-ca"
	IDVolatilePath      ProblemID = "volatile-path"
	IDSecret            ProblemID = "secret"
	IDOverPatchLimit    ProblemID = "over-patch-limit"
	IDOverEmbedArea     ProblemID = "over-embed-area"
)

// problemKind corresponds to a row of the table in docs/reference/user-data.md.
type problemKind struct {
	id       ProblemID
	severity Severity
	// stricter reports whether Ignition's own validation would accept the user data in spite of the problem.
	stricter bool
}

// These names keep the following table short.
const kindE, kindW, kindI = SeverityError, SeverityWarning, SeverityInfo

// problemKinds lists all kinds of problems that [Check] reports.
var problemKinds = []problemKind{
	{IDEmpty, kindE, false},
	{IDNotIgnition, kindE, false},
	{IDCloudConfig, kindE, false},
	{IDCloudInit, kindE, false},
	{IDShellScript, kindE, false},
	{IDMIME, kindE, false},
	{IDSpec1, kindE, false},
	{IDSpec2, kindE, false},
	{IDConfigDrive, kindE, false},
	{IDPacked, kindW, false},
	{IDPackedBroken, kindE, false},
	{IDNested, kindE, false},
	{IDMachineConfig, kindW, false},
	{IDMachineConfigFields, kindW, false},
	{IDNoVariant, kindE, false},
	{IDButane, kindE, false},
	{IDButaneWarning, kindW, false},
	{IDYAML, kindE, false},
	{IDSeveralDocuments, kindE, true},
	{IDByteOrderMark, kindE, false},
	{IDEncoding, kindE, true},
	{IDSyntax, kindE, false},
	{IDTooLarge, kindE, true},
	{IDTooDeep, kindE, true},
	{IDTooComplex, kindE, true},
	{IDLibraryFailed, kindE, false},
	{IDMoreProblems, kindI, false},

	{IDDuplicateKey, kindE, true},
	{IDWrongCaseKey, kindE, true},
	{IDUnknownKey, kindE, true},
	{IDWrongType, kindE, false},
	{IDLoneSurrogate, kindE, true},
	{IDControlCharacter, kindE, true},
	{IDNoVersion, kindE, false},
	{IDBadVersion, kindE, false},
	{IDExperimentalSpec, kindE, true},
	{IDSpecTooNew, kindE, true},
	{IDSpecNew, kindW, false},

	{IDDuplicateEntry, kindE, false},
	{IDBadPath, kindE, false},
	{IDBadURL, kindE, false},
	{IDBadHash, kindE, false},
	{IDBadUnit, kindE, false},
	{IDBadMode, kindE, false},
	{IDNoInstallSection, kindW, false},
	{IDIgnitionRule, kindE, false},
	{IDIgnitionWarning, kindW, false},

	{IDBadDataURL, kindE, true},
	{IDNotGzip, kindE, true},
	{IDHashMismatch, kindE, true},
	{IDUnpackedSize, kindE, true},
	{IDChildEmpty, kindE, true},
	{IDChildNotIgnition, kindE, true},
	{IDMergedInvalid, kindE, true},
	{IDHostname, kindW, false},
	{IDHostnameSource, kindE, true},
	{IDRemoteConfig, kindI, false},
	{IDUnverifiedSource, kindW, false},
	{IDSSHKey, kindE, true},
	{IDSSHPrivateKey, kindE, true},
	{IDSSHKeyWeak, kindE, true},
	{IDSSHKeyOptions, kindW, false},
	{IDSSHKeyLines, kindW, false},
	{IDNoLogin, kindW, false},
	{IDLoginUnknown, kindI, false},
	{IDPasswordHash, kindI, false},
	{IDPasswordNotHashed, kindE, true},
	{IDNoName, kindE, true},
	{IDDecimalMode, kindE, true},
	{IDKeyfileMode, kindW, false},
	{IDBadAccount, kindE, true},
	{IDNoAccount, kindE, true},
	{IDPathTaken, kindE, true},
	{IDImpossiblePath, kindE, true},
	{IDReadOnlyPath, kindE, true},
	{IDMayNotBoot, kindW, false},
	{IDBadCA, kindE, true},
	{IDVolatilePath, kindW, false},
	{IDSecret, kindW, false},
	{IDOverPatchLimit, kindW, false},
	{IDOverEmbedArea, kindI, false},
}

// Severity returns the severity of this kind of problem. For an unknown ID, it is SeverityError.
func (id ProblemID) Severity() Severity {
	for _, kind := range problemKinds {
		if kind.id == id {
			return kind.severity
		}
	}
	return SeverityError
}

// StricterThanIgnition reports whether Ignition's own validation would accept the user data in spite of this error.
// Nevertheless, the machine would not boot, or would boot into an unintended state.
func (id ProblemID) StricterThanIgnition() bool {
	for _, kind := range problemKinds {
		if kind.id == id {
			return kind.stricter
		}
	}
	return false
}
