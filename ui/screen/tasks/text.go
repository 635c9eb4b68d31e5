package tasks

// Messages and help texts that this package shows to the user. Labels, column headers, key hints and other short
// texts are defined where they are used.
const (
	textEmpty   = "No tasks yet. Actions on nodes appear here with a result for each node."
	textNoTasks = "no tasks yet"
	textNoTask  = "No task "

	// Messages about a node of a task.
	textRetriedIn = "retried in task %d; "
)
