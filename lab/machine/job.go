package machine

import (
	"net/http"
	"slices"
	"strconv"
	"strings"
)

// JobState is the state of a job of the BMC, in Redfish's terms (TaskState).
type JobState string

// States of a job.
const (
	JobNew       JobState = "New"     // fetches its image
	JobRunning   JobState = "Running" // writes its image
	JobPending   JobState = "Pending" // until the next boot
	JobCompleted JobState = "Completed"
	JobException JobState = "Exception" // failed
)

// Job is a pending, running or finished job of the BMC.
type Job struct {
	ID    int
	Name  string
	State JobState
	// Reason is why the job failed, and reasonID its ID in DMTF's Update message registry.
	Reason   string
	reasonID messageID
}

// maxJobs is the number of jobs that the BMC keeps: the oldest are dropped.
const maxJobs = 32

// Names of jobs: pending BIOS changes, updates, and a pending change of volumes.
const (
	biosJob     = "BIOS configuration"
	firmwareJob = "Firmware update"
	raidJob     = "RAID configuration"
)

// Reasons of failed updates (DMTF's Update message registry).
const (
	transferFailed     messageID = "TransferFailed"
	verificationFailed messageID = "VerificationFailed"
)

// Jobs returns the jobs of the BMC, the oldest first.
func (m *Machine) Jobs() []Job {
	m.mu.Lock()
	defer m.mu.Unlock()
	return slices.Clone(m.jobs)
}

// DeleteJob deletes a job, with its pending change, and reports whether it existed.
func (m *Machine) DeleteJob(id int) bool {
	m.mu.Lock()
	defer m.unlock()
	at := m.jobIndex(id)
	if at < 0 {
		return false
	}
	if m.jobs[at].State == JobPending {
		m.dropPending(m.jobs[at].Name)
	}
	m.jobs = slices.Delete(m.jobs, at, at+1)
	m.emit(JobDeleted, "%d", id)
	return true
}

// dropPending drops the changes that a pending job would apply at the next boot. Called with mu held, like all
// functions below.
func (m *Machine) dropPending(name string) {
	switch name {
	case biosJob:
		m.bios.pending = map[string]any{}
	case firmwareJob:
		delete(m.firmware.staged, BIOSFirmware)
	case raidJob:
		m.raid.pending = nil
	}
}

func (m *Machine) jobIndex(id int) int {
	return slices.IndexFunc(m.jobs, func(j Job) bool { return j.ID == id })
}

func (m *Machine) hasJob(id int) bool { return m.jobIndex(id) >= 0 }

func (m *Machine) addJob(name string, state JobState) Job {
	if len(m.jobs) == maxJobs {
		m.jobs = slices.Delete(m.jobs, 0, 1)
	}
	m.lastJob++
	j := Job{ID: m.lastJob, Name: name, State: state}
	m.jobs = append(m.jobs, j)
	return j
}

// queueBIOS creates the job for the pending changes of BIOS attributes, unless it exists: all changes share one job.
func (m *Machine) queueBIOS() {
	if !slices.ContainsFunc(m.jobs, func(j Job) bool { return j.Name == biosJob && j.State == JobPending }) {
		m.addJob(biosJob, JobPending)
	}
}

// setJob changes the state of a job, unless it was deleted.
func (m *Machine) setJob(id int, state JobState) {
	if at := m.jobIndex(id); at >= 0 {
		m.jobs[at].State = state
	}
}

// failJob ends a job, unless it was deleted.
func (m *Machine) failJob(id int, reason messageID, text string) {
	if at := m.jobIndex(id); at >= 0 {
		j := &m.jobs[at]
		j.State, j.Reason, j.reasonID = JobException, text, reason
		m.emit(JobFailed, "%s: %s", j.Name, text)
	}
}

// endJobs completes the pending jobs of this name.
func (m *Machine) endJobs(name string) {
	for i := range m.jobs {
		if m.jobs[i].Name == name && m.jobs[i].State == JobPending {
			m.jobs[i].State = JobCompleted
		}
	}
}

func getTaskService(w http.ResponseWriter, _ *http.Request) {
	show(w, object{
		"@odata.id": tasksPath, "@odata.type": typeOf("TaskService"), "Id": "TaskService", "Name": "Tasks",
		"ServiceEnabled": true, "Status": healthy(), "Tasks": link(tasksPath + "/Tasks"),
	})
}

func (m *Machine) jobPath(j Job) string {
	return tasksPath + "/Tasks/" + m.Name() + ":" + strconv.Itoa(j.ID)
}

func (r *Rack) getTasks(w http.ResponseWriter, request *http.Request) {
	var tasks []string
	for _, m := range r.visible(request) {
		for _, j := range m.Jobs() {
			tasks = append(tasks, m.jobPath(j))
		}
	}
	show(w, collection(request.URL.Path, "Task", "Tasks", tasks...))
}

// job finds the machine and the job of a request, if the client may see it.
func (r *Rack) job(request *http.Request) (*Machine, Job, bool) {
	name, number, _ := strings.Cut(request.PathValue("task"), ":")
	m, ok := r.Machine(name)
	if !ok || !m.accepts(identityOf(request)) {
		return nil, Job{}, false
	}
	all := m.Jobs()
	at := slices.IndexFunc(all, func(j Job) bool { return strconv.Itoa(j.ID) == number })
	if at < 0 {
		return nil, Job{}, false
	}
	return m, all[at], true
}

func (r *Rack) getTask(w http.ResponseWriter, request *http.Request) {
	m, j, ok := r.job(request)
	if !ok {
		notFound(w, request)
		return
	}
	if r.readyFor(w, request, m) {
		show(w, m.task(j))
	}
}

// task returns a job as a Task. A failed task has its reason as the only message, because Ironic shows all messages.
func (m *Machine) task(j Job) object {
	percent := map[JobState]int{JobRunning: 50, JobCompleted: 100, JobException: 100}
	text := map[JobState]string{
		JobNew: "The image is being fetched.", JobRunning: "The image is being written.", JobPending: "It waits for the next boot.", JobCompleted: "It is done.",
	}
	status, message := "OK", object{"MessageId": "Base.1.18.Success", "Message": text[j.State], "Severity": "OK"}
	if j.State == JobException {
		status, message = "Critical", object{"MessageId": "Update.1.0." + string(j.reasonID), "Message": j.Reason, "Severity": "Critical"}
	}
	path := m.jobPath(j)
	return object{
		"@odata.id": path, "@odata.type": typeOf("Task"), "Id": path[strings.LastIndexByte(path, '/')+1:], "Name": j.Name,
		"TaskState": j.State, "TaskStatus": status, "PercentComplete": percent[j.State], "Messages": []object{message},
	}
}

func (r *Rack) deleteTask(w http.ResponseWriter, request *http.Request) {
	m, j, ok := r.job(request)
	switch {
	case ok && !r.readyFor(w, request, m):
	case ok && m.DeleteJob(j.ID):
		done(w)
	default:
		notFound(w, request)
	}
}
