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
	JobPending   JobState = "Pending" // until the next boot
	JobCompleted JobState = "Completed"
)

// Job is a pending or finished job of the BMC.
type Job struct {
	ID    int
	Name  string
	State JobState
}

// maxJobs is how many jobs the BMC keeps: the oldest are dropped.
const maxJobs = 32

// biosJob is the job of pending BIOS changes.
const biosJob = "BIOS configuration"

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
	at := slices.IndexFunc(m.jobs, func(j Job) bool { return j.ID == id })
	if at < 0 {
		return false
	}
	if m.jobs[at].State == JobPending {
		m.bios.pending = map[string]string{}
	}
	m.jobs = slices.Delete(m.jobs, at, at+1)
	m.emit(JobDeleted, "%d", id)
	return true
}

// queueBIOS creates the job for pending changes; there is one for all of them. Called with mu
// held.
func (m *Machine) queueBIOS() {
	if slices.ContainsFunc(m.jobs, func(j Job) bool { return j.State == JobPending }) {
		return
	}
	if len(m.jobs) == maxJobs {
		m.jobs = slices.Delete(m.jobs, 0, 1)
	}
	m.lastJob++
	m.jobs = append(m.jobs, Job{ID: m.lastJob, Name: biosJob, State: JobPending})
}

// endJobs is called with mu held.
func (m *Machine) endJobs() {
	for i := range m.jobs {
		m.jobs[i].State = JobCompleted
	}
}

func getTaskService(w http.ResponseWriter, _ *http.Request) {
	show(w, object{
		"@odata.id": tasksPath, "@odata.type": "#TaskService.v1_2_0.TaskService", "Id": "TaskService", "Name": "Tasks",
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
	task := object{
		"@odata.id": m.jobPath(j), "@odata.type": "#Task.v1_7_1.Task", "Id": request.PathValue("task"), "Name": j.Name,
		"TaskState": j.State, "TaskStatus": "OK", "PercentComplete": 0,
		"Messages": []object{{"MessageId": "Base.1.18.Success", "Message": "It waits for the next boot.", "Severity": "OK"}},
	}
	if j.State == JobCompleted {
		task["PercentComplete"] = 100
		task["Messages"] = []object{{"MessageId": "Base.1.18.Success", "Message": "It is done.", "Severity": "OK"}}
	}
	show(w, task)
}

func (r *Rack) deleteTask(w http.ResponseWriter, request *http.Request) {
	m, j, ok := r.job(request)
	if !ok || !m.DeleteJob(j.ID) {
		notFound(w, request)
		return
	}
	done(w)
}
