package cmd

import (
	"bytes"
	"strings"

	"github.com/spf13/cobra"

	"ironworks/models"
	"ironworks/provision"
)

// verbFlags are the flags that only some provision verbs have.
type verbFlags struct {
	actFlags
	steps          []string
	stepsFile      string
	configDrive    string
	passwordFile   string
	runbook        string
	disableRamdisk bool
}

func (a *app) verbCommands() []*cobra.Command {
	var cmds []*cobra.Command
	for _, v := range models.Verbs() {
		if v == models.VerbDeploy || v == models.VerbRebuild {
			cmds = append(cmds, a.deployCommand(v))
			continue
		}
		cmds = append(cmds, a.verbCommand(v))
	}
	return cmds
}

func (a *app) verbCommand(v models.Verb) *cobra.Command {
	flags := &verbFlags{}
	cmd := &cobra.Command{
		Use: string(v) + " NODE…", Short: v.Help(), Args: cobra.MinimumNArgs(1),
		ValidArgsFunction: a.completeNodes(0),
		RunE: func(cmd *cobra.Command, args []string) error {
			req, err := a.provisionRequest(v, flags)
			if err != nil {
				return err
			}
			return a.act(cmd, provision.Provision(req), args, flags.actFlags)
		},
	}
	if v == models.VerbUndeploy {
		cmd.Aliases = []string{"deleted"}
	}
	flags.register(cmd, true)
	f := cmd.Flags()
	switch v {
	case models.VerbClean, models.VerbService:
		f.StringArrayVar(&flags.steps, "step", nil, "step INTERFACE.STEP; may be repeated")
		f.StringVar(&flags.stepsFile, "steps", "", "steps as JSON: text, FILE or -")
		f.StringVar(&flags.runbook, "runbook", "", "runbook instead of steps (API 1.92)")
		f.BoolVar(&flags.disableRamdisk, "disable-ramdisk", false, "do not boot the ramdisk: out-of-band steps only")
	case models.VerbRescue:
		f.StringVar(&flags.passwordFile, "password-file", "", "file with the rescue user's password, or -")
	case models.VerbManage, models.VerbProvide, models.VerbInspect, models.VerbAdopt, models.VerbUndeploy,
		models.VerbDeploy, models.VerbRebuild, models.VerbUnrescue, models.VerbAbort, models.VerbUnhold:
	}
	return cmd
}

// provisionRequest reads the files that the flags name; what they mean is provision's.
func (a *app) provisionRequest(v models.Verb, flags *verbFlags) (models.ProvisionRequest, error) {
	args := provision.Arguments{Steps: flags.steps, Runbook: flags.runbook, DisableRamdisk: flags.disableRamdisk}
	if flags.stepsFile != "" {
		data, err := a.readArgument(flags.stepsFile)
		if err != nil {
			return models.ProvisionRequest{}, usagef("--steps: %w", err)
		}
		if len(data) == 0 {
			return models.ProvisionRequest{}, usagef("--steps %s: empty", flags.stepsFile)
		}
		args.StepsJSON = data
	}
	if drive := flags.configDrive; strings.Contains(drive, "://") {
		args.ConfigDrive = drive
	} else if drive != "" {
		data, err := a.readArgument(drive)
		if err != nil {
			return models.ProvisionRequest{}, usagef("--configdrive: %w", err)
		}
		if len(bytes.TrimSpace(data)) == 0 {
			return models.ProvisionRequest{}, usagef("--configdrive %s: empty", drive)
		}
		args.ConfigDrive = string(data)
	}
	if flags.passwordFile != "" {
		text, err := a.readArgument(flags.passwordFile)
		if err != nil {
			return models.ProvisionRequest{}, usagef("--password-file: %w", err)
		}
		args.RescuePassword = models.Secret(strings.TrimRight(string(text), "\r\n"))
	}
	req, err := provision.Request(v, args)
	if err != nil {
		return req, usagef("%s: %w", v, err)
	}
	return req, nil
}
