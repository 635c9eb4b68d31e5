package provision

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"ironworks/models/plan"
)

// PlanText is a plan that lies in a file of its own, for an editor to write on. Its folder
// is its owner's alone, for user data in it may be secret, and so is what an editor puts
// beside the file.
type PlanText struct {
	// Path is the file's.
	Path string
}

// LayOutPlan writes a plan's text into such a file. [PlanText.Take] has to follow, which
// removes it.
func LayOutPlan(text []byte) (PlanText, error) {
	dir, err := os.MkdirTemp("", "ironworks-plan-")
	if err != nil {
		return PlanText{}, fmt.Errorf("lay the plan out for an editor: %w", err)
	}
	laid := PlanText{Path: filepath.Join(dir, "plan.yaml")}
	if err := os.WriteFile(laid.Path, text, 0o600); err != nil {
		return PlanText{}, errors.Join(fmt.Errorf("lay the plan out for an editor: %w", err), os.RemoveAll(dir))
	}
	return laid, nil
}

// Take gives the text as it is now, and removes the file with all that an editor has left
// beside it. Of a text that is too long to be a plan only the beginning comes back.
func (p PlanText) Take() (text []byte, err error) {
	defer func() {
		if gone := os.RemoveAll(filepath.Dir(p.Path)); gone != nil && err == nil {
			err = fmt.Errorf("remove what the editor wrote on: %w", gone)
		}
	}()
	file, err := os.Open(p.Path)
	if err != nil {
		return nil, fmt.Errorf("read what the editor wrote: %w", err)
	}
	defer func() { _ = file.Close() }()
	text, err = io.ReadAll(io.LimitReader(file, plan.MaxSize+1))
	if err != nil {
		return nil, fmt.Errorf("read what the editor wrote: %w", err)
	}
	return text, nil
}
