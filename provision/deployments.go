package provision

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"ironworks/ironicclient"
	"ironworks/models"
	"ironworks/models/plan"
)

// Deployments keeps the records of a context's deployments, a file for each node. What
// will be sent is in it before it is sent, secrets too: the files are readable by their
// owner alone, and what may be secret is taken out as soon as Ironic has it.
type Deployments struct {
	// Dir is the folder; it is made when it is needed. See [DeploymentsDir].
	Dir string
}

// DeploymentsDir is the folder of a context's deployments below the program's own: by the
// context's name, and by the address of its Ironic, for a name may come to mean another.
func DeploymentsDir(state, context, address string) string {
	sum := sha256.Sum256([]byte(strings.TrimRight(address, "/")))
	name := url.PathEscape(context)
	if len(name) > 64 {
		name = name[:64]
	}
	return filepath.Join(state, "deployments", name+"-"+hex.EncodeToString(sum[:6]))
}

// keptSent is how long the record of a deployment that nobody waits for is kept.
const keptSent = 30 * 24 * time.Hour

// recordFormat is that of the files; one of another is not touched.
const recordFormat = 1

// record is what is in a file.
type record struct {
	Format int `json:"format"`
	Unfinished
	// Restore takes the changes back, the last first; without the instance_uuid.
	Restore []models.PatchOp `json:"restore,omitempty"`
	// RootDisk is what tells the disk that is installed to from others; none where that
	// is not sure. Whoever sees the end writes it down.
	RootDisk map[string]string `json:"root_disk,omitempty"`
	// Deployment is what was asked for; nil once Ironic has it.
	Deployment *recordedDeployment `json:"deployment,omitempty"`
}

// stamp tells one state of a record from another; empty for none.
func (r *record) stamp() string {
	if r == nil {
		return ""
	}
	return fmt.Sprintf("%s %s %d", r.Instance, r.Stage, r.At.UnixNano())
}

// recordedDeployment is a [Deployment] on disk.
type recordedDeployment struct {
	Plan        string `json:"plan"`
	UserData    []byte `json:"user_data,omitempty"`
	VendorData  any    `json:"vendor_data,omitempty"`
	ConfigDrive string `json:"configdrive,omitempty"`
}

func recordDeployment(d Deployment) (*recordedDeployment, error) {
	plan, err := (&plan.Plan{Fields: d.Fields}).Encode()
	if err != nil {
		return nil, err
	}
	return &recordedDeployment{Plan: string(plan), UserData: d.bootable(), VendorData: d.VendorData, ConfigDrive: d.Text}, nil
}

func (r *recordedDeployment) deployment() (Deployment, error) {
	plan, err := plan.Decode([]byte(r.Plan))
	if err != nil {
		return Deployment{}, fmt.Errorf("the plan in the record of an unfinished deployment: %w", err)
	}
	return Deployment{Fields: plan.Fields, UserData: r.UserData, VendorData: r.VendorData, Text: r.ConfigDrive}, nil
}

func (r *recordedDeployment) digest() string {
	text, err := json.Marshal(r)
	if err != nil {
		return ""
	}
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:])
}

// errNoUUID keeps names of files to what uuids have.
var errNoUUID = errors.New("the node's uuid is none, so its deployment cannot be recorded")

func (d *Deployments) path(uuid, ending string) (string, error) {
	if !plainUUID.MatchString(uuid) {
		return "", errNoUUID
	}
	return filepath.Join(d.Dir, uuid+ending), nil
}

// load reads a node's record, nil when there is none.
func (d *Deployments) load(uuid string) (*record, error) {
	if d == nil {
		return nil, nil //nolint:nilnil // no record is what there is then
	}
	path, err := d.path(uuid, ".json")
	if err != nil {
		return nil, err
	}
	data, err := os.ReadFile(path) //nolint:gosec // below the program's own folder
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil //nolint:nilnil // as above
	}
	var r record
	if err == nil {
		err = json.Unmarshal(data, &r)
	}
	switch {
	case err != nil:
		return nil, fmt.Errorf("read the record of an unfinished deployment, %s: %w", path, err)
	case r.Format != recordFormat || r.Node.UUID != uuid:
		return nil, fmt.Errorf("the record of an unfinished deployment, %s, is not one of this version's", path)
	}
	return &r, nil
}

// List lists the records, the oldest first. What cannot be read is in the error, beside
// what can. Records of what nobody waits for go away by themselves after 30 days.
func (d *Deployments) List(now time.Time) ([]Unfinished, error) {
	entries, err := os.ReadDir(d.Dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	var list []Unfinished
	for _, e := range entries {
		uuid, is := strings.CutSuffix(e.Name(), ".json")
		if !is || !plainUUID.MatchString(uuid) {
			continue
		}
		r, failed := d.load(uuid)
		switch {
		case failed != nil:
			err = errors.Join(err, failed)
		case r == nil: // it has ended meanwhile
		case r.Stage == StageSent && now.Sub(r.At) > keptSent:
			_ = d.Forget(uuid)
		default:
			list = append(list, r.Unfinished)
		}
	}
	slices.SortFunc(list, func(a, b Unfinished) int {
		return cmp.Or(a.Began.Compare(b.Began), cmp.Compare(a.Node.Label(), b.Node.Label()))
	})
	return list, err
}

// Unfinished lists the deployments that were interrupted: those that Ironic may not have
// yet, and those that somebody waited for.
func (d *Deployments) Unfinished(now time.Time) ([]Unfinished, error) {
	list, err := d.List(now)
	return slices.DeleteFunc(list, func(u Unfinished) bool { return u.Stage == StageSent || d.held(u.Node.UUID) != nil }), err
}

// held says who is at work on a node's deployment, nil when nobody is.
func (d *Deployments) held(uuid string) error {
	if d == nil {
		return nil
	}
	path, err := d.path(uuid, ".lock")
	if err != nil {
		return err
	}
	return lockedBy(path)
}

// Forget removes a node's record, where nobody is at work on it.
func (d *Deployments) Forget(uuid string) error {
	log, err := d.open(uuid)
	if err != nil {
		return err
	}
	defer log.close()
	return log.over()
}

// open takes a node's record for this process alone.
func (d *Deployments) open(uuid string) (*deploymentLog, error) {
	if d == nil {
		return nil, nil //nolint:nilnil // a nil log keeps nothing
	}
	path, err := d.path(uuid, ".lock")
	if err == nil {
		err = os.MkdirAll(d.Dir, 0o700)
	}
	if err != nil {
		return nil, err
	}
	lock, err := lockFile(path)
	if err != nil {
		return nil, err
	}
	log := &deploymentLog{in: d, uuid: uuid, lock: lock}
	err = os.Remove(filepath.Join(d.Dir, uuid+unwritten)) // of a process that was killed writing it
	if err == nil || errors.Is(err, fs.ErrNotExist) {
		log.record, err = d.load(uuid)
	}
	if err != nil {
		lock.unlock()
		return nil, err
	}
	return log, nil
}

// deploymentLog is a node's record in the hands of the process that deploys it. A nil
// one keeps nothing.
type deploymentLog struct {
	in   *Deployments
	uuid string
	lock *fileLock
	// record is what is on disk, nil for nothing.
	record *record
}

// begin writes down what will be sent.
func (l *deploymentLog) begin(r record) error {
	if l == nil {
		return nil
	}
	r.Format = recordFormat
	return l.write(r)
}

// note writes down what will be sent next.
func (l *deploymentLog) note(s Stage, now time.Time) error {
	if l == nil || l.record == nil {
		return nil
	}
	r := *l.record
	r.Stage, r.At = s, now.UTC()
	switch s {
	case StageFollowing, StageSent:
		r.Deployment, r.Restore = nil, nil // Ironic has it
	case StagePreparing, StageSending, StageGivingBack:
	}
	return l.write(r)
}

// renewedEvery is how old the time in a record may be when a request is sent.
const renewedEvery = time.Second

// renew writes down that a request of the same stage is sent at a time, which may be that of
// the next try. What may be on its way is judged by that time ([record.next]).
func (l *deploymentLog) renew(at time.Time) error {
	if l == nil || l.record == nil {
		return nil
	}
	if age := at.Sub(l.record.At); age >= 0 && age < renewedEvery {
		return nil
	}
	r := *l.record
	r.At = at.UTC()
	return l.write(r)
}

// renewing is ctx with which each further try of a request renews the record.
func (l *deploymentLog) renewing(ctx context.Context, clock Clock, told func(ironicclient.Retry)) context.Context {
	return ironicclient.OnRetry(ctx, func(retry ironicclient.Retry) {
		_ = l.renew(clock.Now().Add(retry.Delay)) // else it keeps the time of the first try
		told(retry)
	})
}

// givingBack writes down that fields are restored, and to what. A field that was never
// written is not in it: a value that differs is then somebody else's.
func (l *deploymentLog) givingBack(restore []models.PatchOp, now time.Time) error {
	if l == nil || l.record == nil {
		return nil
	}
	r := *l.record
	r.Stage, r.At, r.Restore = StageGivingBack, now.UTC(), restore
	return l.write(r)
}

// write replaces the file, and comes back when it is on disk.
func (l *deploymentLog) write(r record) error {
	path, err := l.in.path(l.uuid, ".json")
	if err != nil {
		return err
	}
	data, err := json.Marshal(r)
	if err == nil {
		err = l.replace(path, data)
	}
	if err != nil {
		return fmt.Errorf("write the record of the deployment: %w", err)
	}
	l.record = &r
	return nil
}

// explained says of an error how to go on after it, where a record is left for that.
func (l *deploymentLog) explained(err error) error {
	if l == nil || l.record == nil {
		return err
	}
	return fmt.Errorf("%w (ironworks deploy --resume %s finds out, and goes on)", err, models.Printable(l.record.Node.Label()))
}

// over removes the record.
func (l *deploymentLog) over() error {
	if l == nil || l.record == nil {
		return nil
	}
	path, err := l.in.path(l.uuid, ".json")
	if err == nil {
		err = os.Remove(path)
	}
	if err != nil {
		return fmt.Errorf("remove the record of the deployment: %w", err)
	}
	l.record = nil
	return nil
}

// close lets others have it.
func (l *deploymentLog) close() {
	if l != nil {
		l.lock.unlock()
	}
}

// unwritten is the ending of a file that will take the place of another.
const unwritten = ".json.new"

// replace puts data in the place of what is there, whole or not at all, also when the
// power fails.
func (l *deploymentLog) replace(path string, data []byte) error {
	fresh := strings.TrimSuffix(path, ".json") + unwritten
	f, err := os.OpenFile(fresh, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o600) //nolint:gosec // below the program's own folder
	if err != nil {
		return err
	}
	_, err = f.Write(data)
	if err == nil {
		err = f.Sync()
	}
	if closeErr := f.Close(); err == nil {
		err = closeErr
	}
	if err == nil {
		err = os.Rename(fresh, path)
	}
	if err != nil {
		_ = os.Remove(fresh)
		return err
	}
	folder, err := os.Open(l.in.Dir)
	if err != nil {
		return err
	}
	err = folder.Sync()
	if closeErr := folder.Close(); err == nil {
		err = closeErr
	}
	return err
}
