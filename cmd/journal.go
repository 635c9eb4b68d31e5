package cmd

import (
	"context"
	"time"

	"ironworks/config"
	"ironworks/journal"
	"ironworks/models"
)

// learnFrom is of how many past pieces of each kind of work it is learnt how long they
// take: the last ones, for firmware and images change.
const learnFrom = 200

// openJournal begins the journal of a context; trouble is told once that nothing is kept.
func openJournal(ctx context.Context, files *config.Files, x *config.Context, trouble func(error)) *journal.Journal {
	return journal.Open(ctx, journal.Options{
		Path: files.Journal(x.Name), Clock: clock{}, Trouble: trouble,
		Limits: journal.Limits{Size: x.Journal.Size, Age: x.Journal.Age},
	})
}

// commandJournal is the journal of a command that follows nodes.
func (a *app) commandJournal(ctx context.Context, s *session) *journal.Journal {
	return openJournal(ctx, &s.files, &s.context, func(err error) { a.complain("%v", err) })
}

// experience is what past work took, as far as it is known; what cannot be read is told.
func (a *app) experience(ctx context.Context, j *journal.Journal) *models.Experience {
	ctx, cancel := context.WithTimeout(ctx, 2*time.Second)
	defer cancel()
	past, err := j.Latest(ctx, learnFrom)
	if err != nil && ctx.Err() == nil {
		a.complain("%v", err)
	}
	return models.NewExperience(past)
}
