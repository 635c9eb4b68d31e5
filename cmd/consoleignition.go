package cmd

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"ironworks/ignition"
	"ironworks/ignition/image"
	"ironworks/ignition/prepare"
	"ironworks/ignition/userdata"
	"ironworks/models"
	"ironworks/provision"
	"ironworks/session"
	"ironworks/ui/screen"
)

var _ screen.Ramdisks = (*consoleRamdisks)(nil)

// consoleRamdisks makes ramdisks for the console. What it does the commands of ignition
// do, too, with the same functions.
type consoleRamdisks struct {
	host *consoleHost
	// session is the context's, nil where there is none.
	session *session.Session
	// keep keeps who fetches what nodes boot; nil where there is no session.
	keep session.LineKeeper
}

// fileArgument lets the console be opened on one file that is there.
func fileArgument(cmd *cobra.Command, args []string) error {
	if len(args) == 0 {
		return nil
	}
	info, err := os.Stat(args[0])
	switch {
	case err == nil && info.IsDir():
		return fmt.Errorf("%s is a folder: want a file to check", models.Printable(args[0]))
	case err == nil && len(args) == 1:
		return nil
	case err == nil:
		return errors.New("want one file to check")
	case strings.ContainsAny(args[0], "./"):
		return err // nobody takes that for a command
	}
	return cobra.NoArgs(cmd, args)
}

// maker reads this machine's files. The classic profile takes nothing of the context.
func (c *consoleRamdisks) maker(ctx context.Context, profile string) (prepare.Maker, error) {
	if c.session == nil || profile == string(ignition.ProfileClassic) {
		return c.host.app.makerWith(ignition.IronicEndpoint{}), nil
	}
	ironic, err := contextEndpoint(ctx, c.session)
	if err != nil {
		return prepare.Maker{}, err
	}
	return c.host.app.makerWith(ironic), nil
}

// path resolves a leading ~, which no shell has done here.
func (c *consoleRamdisks) path(path string) string {
	if rest, ok := strings.CutPrefix(path, "~/"); ok && c.host.app.options.Home != "" {
		return filepath.Join(c.host.app.options.Home, rest)
	}
	return path
}

// Defaults are the commands': nothing but Ironic's address is known.
func (c *consoleRamdisks) Defaults() (in prepare.Inputs, ironic string) {
	if c.session == nil || c.session.Context.Guessed {
		return in, ""
	}
	if ironic = c.session.Client.Endpoint(); ironic != "" {
		ironic = rootURL(ironic)
	}
	return in, ironic
}

// Build makes a configuration to look at.
func (c *consoleRamdisks) Build(ctx context.Context, in prepare.Inputs) (prepare.Built, error) {
	return c.build(ctx, in, true)
}

func (c *consoleRamdisks) build(ctx context.Context, in prepare.Inputs, preview bool) (prepare.Built, error) {
	maker, err := c.maker(ctx, in.Profile)
	if err != nil {
		return prepare.Built{}, err
	}
	maker.Preview = preview
	return maker.Build(ctx, in)
}

// Check reads a file and checks it, unless it is as known says.
func (c *consoleRamdisks) Check(_ context.Context, path string, known screen.FileStamp) (screen.Checked, error) {
	path = c.path(path)
	info, err := os.Stat(path)
	if err != nil {
		return screen.Checked{}, err
	}
	if !info.Mode().IsRegular() {
		return screen.Checked{}, fmt.Errorf("%s is no file", path)
	}
	stamp := screen.FileStamp{Modified: info.ModTime(), Size: info.Size()}
	if stamp == known {
		return screen.Checked{Same: true}, nil
	}
	data, err := readConfigFile(path)
	if err != nil {
		return screen.Checked{}, err
	}
	report := userdata.Check(data, besideIt(path))
	checked := screen.Checked{Stamp: stamp, Report: report, Source: data}
	if report.Kind == userdata.KindGzip || report.Kind == userdata.KindBase64 {
		checked.Source = report.Ignition() // places are those of what was packed
	}
	return checked, nil
}

// besideIt lets a file's Butane name files of its folder.
func besideIt(path string) userdata.Option { return userdata.FilesDir(filepath.Dir(path)) }

// config is the configuration of a source: for a node, or with "" for all.
func (c *consoleRamdisks) config(ctx context.Context, of screen.RamdiskSource, node string) ([]byte, error) {
	if of.File == "" {
		in := of.Inputs
		if node != "" {
			in = in.ForNode(node)
		}
		built, err := c.build(ctx, in, false)
		return built.Document.JSON, err
	}
	path := c.path(of.File)
	data, err := readConfigFile(path)
	if err != nil {
		return nil, err
	}
	if data, err = prepare.Usable(data, of.File, besideIt(path)); err != nil {
		return nil, err
	}
	if node == "" {
		return data, nil
	}
	return prepare.WithHostname(data, node)
}

// Save writes the JSON.
func (c *consoleRamdisks) Save(ctx context.Context, of screen.RamdiskSource, path string, force bool) (string, error) {
	config, err := c.config(ctx, of, "")
	if err != nil {
		return "", err
	}
	path = c.path(path)
	if err := prepare.WriteFile(ctx, path, bytes.NewReader(append(bytes.Clone(config), '\n')), force); err != nil {
		return "", err
	}
	return fmt.Sprintf("saved %s, %s: it may hold secrets, and only you can read it", path, userdata.SizeText(int64(len(config)))), nil
}

// Look says what is in an ISO.
func (c *consoleRamdisks) Look(_ context.Context, path string) (screen.ImageLook, error) {
	iso, err := image.Open(c.path(path))
	if err != nil {
		return screen.ImageLook{}, err
	}
	defer func() { _ = iso.Close() }()
	is := iso.Look()
	look := screen.ImageLook{Volume: is.Volume, Capacity: is.Capacity, Used: is.Used, Kargs: is.Kargs, Others: is.Others}
	config, err := iso.Ignition()
	switch {
	case errors.Is(err, image.ErrNotEmbedded):
	case err != nil:
		look.Embedded, look.Holds = true, "something that cannot be read: "+err.Error()
	default:
		look.Embedded, look.Holds = true, holds(config)
	}
	return look, nil
}

// holds is a configuration in a line.
func holds(config []byte) string {
	report := userdata.Check(config)
	text := fmt.Sprintf("%s %s, %s", report.Kind, report.Summary.Spec, userdata.SizeText(int64(len(config))))
	for _, u := range report.Summary.Units {
		text += ", " + u.Name
	}
	for _, u := range report.Summary.Users {
		text += ", user " + u.Name
	}
	return text
}

// Embed puts the configuration into an ISO, or a copy of it.
func (c *consoleRamdisks) Embed(ctx context.Context, of screen.RamdiskSource, order screen.EmbedOrder) (string, error) {
	config, err := c.config(ctx, of, "")
	if err != nil {
		return "", err
	}
	change := image.Change{Ignition: config, Kargs: image.KargsEdit{Append: order.Kargs}, Force: order.Force}
	target := c.path(order.ISO)
	var patch *image.Patch
	if order.Output == "" {
		patch, err = image.EditFile(target, change)
	} else {
		target = c.path(order.Output)
		patch, err = image.WriteFile(ctx, c.path(order.ISO), target, change)
	}
	if err != nil {
		return "", err
	}
	return fmt.Sprintf("embedded into %s: %s of its area in use", target, userdata.SizeText(patch.Used)), nil
}

// Wrap makes an initrd.
func (c *consoleRamdisks) Wrap(ctx context.Context, of screen.RamdiskSource, order screen.WrapOrder) (string, error) {
	config, err := c.config(ctx, of, "")
	if err != nil {
		return "", err
	}
	output := c.path(order.Output)
	if order.Initramfs == "" {
		packed, err := image.Wrap(config)
		if err != nil {
			return "", err
		}
		return written(output, prepare.WriteFile(ctx, output, bytes.NewReader(packed), order.Force))
	}
	stream, err := prepare.AppendTo(ctx, c.path(order.Initramfs), config)
	if err != nil {
		return "", err
	}
	defer func() { _ = stream.Close() }()
	return written(output, prepare.WriteFile(ctx, output, stream, order.Force))
}

func written(path string, err error) (string, error) {
	if err != nil {
		return "", err
	}
	return fmt.Sprintf("wrote %s: it may hold secrets, and only you can read it", path), nil
}

// nodes finds nodes by name or uuid.
func (c *consoleRamdisks) nodes(ctx context.Context, names []string) ([]models.Node, error) {
	switch {
	case len(names) == 0:
		return nil, nil
	case c.session == nil:
		return nil, errors.New("there is no Ironic to find nodes in: no context is open")
	}
	return provision.FindNodes(ctx, c.session.Client, names)
}
