package tasks

// The texts of this package that are shown to the operator, except column headers and key hints, which are defined
// beside their tables.
const (
	textEmpty   = "No tasks yet. Actions on nodes appear here with a result for each node."
	textNoTasks = "no tasks yet"
	textNoTask  = "No task "

	// Texts about a node of a task.
	textRetriedIn = "retried in task %d; "
)
