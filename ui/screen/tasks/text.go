package tasks

// The texts of this package that a person reads; column headers and key hints stay with their tables.
const (
	textEmpty   = "No tasks yet. Actions on nodes appear here with a result for each node."
	textNoTasks = "no tasks yet"
	textNoTask  = "No task "

	// Details of a node.
	textRetriedIn = "retried in task %d; "
)
