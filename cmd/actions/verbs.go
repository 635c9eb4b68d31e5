package actions

import (
	"bytes"
	"context"
	"strings"

	"github.com/spf13/cobra"

	"ironworks/cmd/cli"
	"ironworks/models"
	"ironworks/provision"
	"ironworks/session"
)

type verbFlags struct {
	cli.ActFlags
	steps          []string
	stepsFile      string
	configDrive    string
	passwordFile   string
	runbook        string
	disableRamdisk bool
}

func (a *app) verbCommand(v models.Verb) *cobra.Command {
	flags := &verbFlags{}
	cmd := &cobra.Command{
		Use: string(v) + " NODE…", Args: cobra.MinimumNArgs(1),
		ValidArgsFunction: a.CompleteNodes(0),
		RunE: func(cmd *cobra.Command, args []string) error {
			req, err := a.provisionRequest(v, flags)
			if err == nil && v == models.VerbRescue {
				req.RescuePassword, err = a.rescuePassword(cmd.Context(), flags.passwordFile)
			}
			if err != nil {
				return err
			}
			if req.Runbook != "" {
				return a.Online(func(cmd *cobra.Command, s *session.Session, nodes []string) error {
					return a.ActPrepared(cmd, s, provision.RunRunbook(s.Client, req), nodes, flags.ActFlags)
				})(cmd, args)
			}
			return a.Act(cmd, provision.Provision(req), args, flags.ActFlags)
		},
	}
	if v == models.VerbUndeploy {
		cmd.Aliases = []string{"deleted"}
	}
	flags.Register(cmd, true)
	f := cmd.Flags()
	switch v {
	case models.VerbClean, models.VerbService:
		f.StringArrayVar(&flags.steps, "step", nil, "step INTERFACE.STEP [NAME=VALUE …]; may be repeated")
		f.StringVar(&flags.stepsFile, "steps", "", "steps as JSON: text, FILE or -")
		f.StringVar(&flags.runbook, "runbook", "", "runbook, instead of steps (API 1.92)")
		f.BoolVar(&flags.disableRamdisk, "disable-ramdisk", false, "out-of-band steps only, without booting the ramdisk")
	case models.VerbRescue:
		f.StringVar(&flags.passwordFile, "password-file", "", "file with the password of the rescue user, or -")
	case models.VerbManage, models.VerbProvide, models.VerbInspect, models.VerbAdopt, models.VerbUndeploy,
		models.VerbDeploy, models.VerbRebuild, models.VerbUnrescue, models.VerbAbort, models.VerbUnhold:
	}
	return cmd
}

// rescuePassword reads the password for the rescue user from a file or stdin, or prompts for it at a terminal.
func (a *app) rescuePassword(ctx context.Context, file string) (models.Secret, error) {
	if a.Interactive() && (file == "" || file == "-") {
		return a.AskSecret(ctx, "Password of the rescue user: ")
	}
	password, err := a.readFlag("--password-file", file, false)
	return models.Secret(strings.TrimRight(string(password), "\r\n")), err
}

// provisionRequest reads the files named by the flags and builds the request.
func (a *app) provisionRequest(v models.Verb, flags *verbFlags) (models.ProvisionRequest, error) {
	args := provision.Arguments{Steps: flags.steps, Runbook: flags.runbook, DisableRamdisk: flags.disableRamdisk}
	var err error
	if args.StepsJSON, err = a.readFlag("--steps", flags.stepsFile, true); err != nil {
		return models.ProvisionRequest{}, err
	}
	args.ConfigDrive = flags.configDrive
	if !strings.Contains(flags.configDrive, "://") {
		drive, err := a.readFlag("--configdrive", flags.configDrive, true)
		if err != nil {
			return models.ProvisionRequest{}, err
		}
		args.ConfigDrive = string(drive)
	}
	req, err := provision.Request(v, args)
	if err != nil {
		return req, cli.Usagef("%s: %w", v, err)
	}
	return req, nil
}

// readFlag reads the value of a flag, which may name a file. If full is set, empty content is an error.
func (a *app) readFlag(flag, value string, full bool) ([]byte, error) {
	if value == "" {
		return nil, nil
	}
	data, err := a.ReadArgument(value)
	switch {
	case err != nil:
		return nil, cli.Usagef("%s: %w", flag, err)
	case full && len(bytes.TrimSpace(data)) == 0:
		return nil, cli.Usagef("%s %s: empty", flag, value)
	}
	return data, nil
}
