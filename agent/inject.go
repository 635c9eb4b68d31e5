package agent

import (
	"cmp"
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"net/http"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/google/uuid"

	"ironworks/models/hints"
	"ironworks/python"
)

// injectFiles implements the inject_files step, for the files in the node's properties and then the arguments.
func (a *agent) injectFiles(ctx context.Context, node, args *dict) (any, error) {
	files, err := filesToInject(node.Dict("properties").Get("inject_files"), args.Get("files"))
	if err != nil {
		return nil, err
	}
	if len(files) == 0 {
		a.log.inject.info("No files to inject")
		return nil, nil
	}
	root, err := a.rootDisk(ctx, false)
	if err != nil {
		return nil, err
	}
	for _, file := range files {
		if err := a.injectOne(ctx, node, file, root); err != nil {
			return nil, err
		}
	}
	return nil, nil
}

var fieldsOfFiles = []string{"path", "partition", "content", "deleted", "mode", "dirmode", "owner", "group"}

// filesToInject checks and returns the files to inject. The error lists the problems of all files.
func filesToInject(properties, arguments any) ([]*dict, error) {
	var all list
	for _, given := range []struct {
		name  string
		value any
	}{{"`inject_files` node property", properties}, {"`files` argument", arguments}} {
		if !python.Truthy(given.value) {
			continue
		}
		files, ok := given.value.(list)
		if !ok {
			return nil, newFault(invalidParams, "The %s must be a list, got %s", given.name, hints.PythonTypeName(given.value))
		}
		all = append(all, files...)
	}
	var failures []string
	var files []*dict
	for _, one := range all {
		file, ok := one.(*dict)
		if !ok {
			return nil, noAttribute(one, "get")
		}
		files = append(files, file)
		failures = append(failures, checkFile(file)...)
	}
	if len(failures) > 0 {
		return nil, newFault(invalidParams, "Validation of files failed: %s", strings.Join(failures, "; "))
	}
	return files, nil
}

func checkFile(file *dict) []string {
	var failures []string
	fail := func(format string, args ...any) { failures = append(failures, fmt.Sprintf(format, args...)) }
	unknown := slices.DeleteFunc(file.Keys(), func(key string) bool { return slices.Contains(fieldsOfFiles, key) })
	if len(unknown) > 0 {
		fail("unexpected fields in %s: %s", python.Repr(file), strings.Join(unknown, ", "))
	}
	switch name := file.Text("path"); {
	case name == "":
		fail("expected a path in %s", python.Repr(file))
	case name[:strings.LastIndex(name, "/")+1] == "/" && !python.Truthy(file.Get("partition")):
		fail(`%s in root directory requires "partition"`, python.Repr(file))
	case strings.HasSuffix(name, "/"):
		fail("directories not supported for %s", python.Repr(file))
	}
	if python.Truthy(file.Get("content")) && python.Truthy(file.Get("deleted")) {
		fail("content cannot be used with deleted in %s", python.Repr(file))
	}
	for _, field := range []string{"owner", "group", "mode", "dirmode"} {
		if file.Has(field) && hints.PythonTypeName(file.Get(field)) != "int" {
			fail("%s must be a number in %s", field, python.Repr(file))
		}
	}
	return failures
}

type mounted struct {
	device string
	files  []File
}

func (m *mounted) index(name string) int {
	return slices.IndexFunc(m.files, func(f File) bool { return f.Path == name })
}

func (m *mounted) isFolder(name string) bool {
	i := m.index(name)
	return name == "" || i >= 0 && m.files[i].Folder
}

// mount mounts a device. If the mount program fails, the error is a *processError.
func (a *agent) mount(ctx context.Context, device string) (*mounted, error) {
	files, err := a.hardware.Mount(ctx, device)
	if refused, ok := errors.AsType[*MountError](err); ok {
		folder := "/tmp/tmp" + uuid.NewString()[:8]
		return nil, &processError{argv: []string{"mount", device, folder}, out: Output{Code: 32, Stderr: "mount: " + folder + ": " + refused.Text + "\n"}}
	}
	if err != nil {
		return nil, fmt.Errorf("mounting %s: %w", device, err)
	}
	return &mounted{device: device, files: files}, nil
}

func (a *agent) injectOne(ctx context.Context, node, file *dict, root string) error {
	on, name, err := a.findAndMount(ctx, path.Clean(strings.Trim(file.Text("path"), "/")), file.Get("partition"), root)
	if err != nil {
		return asUncaught(err)
	}
	if python.Truthy(file.Get("deleted")) {
		if i := on.index(name); i >= 0 && !on.files[i].Folder {
			on.files = slices.Delete(on.files, i, i+1)
		}
	} else if err := a.placeFile(ctx, node, file, on, name); err != nil {
		a.log.inject.error("Failed to process file %s: %v", python.Repr(file), err)
		// The real agent is meant to show the class of the error here, but shows the class of that class: type.
		err = newFault(commandExecution, "Failed to process file %s. <class 'type'>: %v", python.Repr(file), err)
		return errors.Join(err, a.unmount(ctx, on))
	}
	return a.unmount(ctx, on)
}

func (a *agent) unmount(ctx context.Context, on *mounted) error {
	if err := a.hardware.Unmount(ctx, on.device, on.files); err != nil {
		a.log.inject.warning("Unable to unmount temporary location: %v", err)
	}
	return ctx.Err()
}

// findAndMount mounts the partition that should contain the file with the given name, and returns the file's path
// within that partition. The partition argument is the number or the device of the partition. If it is empty,
// findAndMount uses the first partition of the root disk that contains the top folder of name.
func (a *agent) findAndMount(ctx context.Context, name string, partition any, root string) (*mounted, string, error) {
	if python.Truthy(partition) {
		device := python.Str(partition)
		if index, err := strconv.Atoi(strings.TrimSpace(device)); err == nil {
			device = nvmeStyle(root, strconv.Itoa(index))
		}
		on, err := a.mount(ctx, device)
		return on, name, err
	}
	first, rest, deep := strings.Cut(name, "/")
	if !deep {
		return nil, "", newFault(invalidParams, "Invalid path %s, must be an absolute path to a file", name)
	}
	partitions, err := a.listPartitions(ctx, root)
	if err != nil {
		return nil, "", err
	}
	for _, p := range partitions {
		part, _ := p.(*dict)
		if strings.Contains(part.Text("flags"), "lvm") {
			a.log.inject.debug("Skipping LVM partition %s", python.Repr(part))
			continue
		}
		on, err := a.mount(ctx, nvmeStyle(root, python.Str(part.Get("number"))))
		switch {
		case failedProgram(err):
			a.log.inject.warning("Failure when inspecting partition %s: %v", python.Repr(part), err)
			continue
		case err != nil:
			return nil, "", err
		}
		if on.isFolder(first) {
			a.log.inject.info("Path %s has been found on partition %s", first, python.Repr(part))
			return on, first + "/" + rest, nil
		}
		if err := a.unmount(ctx, on); err != nil {
			return nil, "", err
		}
	}
	return nil, "", newFault(deviceNotFound, "No partition found with path %s, scanned: %s", first, python.Repr(partitions))
}

// nvmeStyle returns the device name of a partition in the same way as the real step. As in the real step, the result
// is wrong for a disk that is not an NVMe disk but has a name that ends with a digit.
func nvmeStyle(disk, part string) string {
	if strings.Contains(disk, "nvme") {
		return disk + "p" + part
	}
	return disk + part
}

func (a *agent) placeFile(ctx context.Context, node, file *dict, on *mounted, name string) error {
	if !on.isFolder(folderOf(name)) {
		on.makeFolders(folderOf(name), toMode(file.Get("dirmode")))
	}
	if on.isFolder(name) {
		return errors.New("[Errno 21] Is a directory: " + python.Repr("/"+name))
	}
	if !file.Has("content") {
		return errors.New("'content'")
	}
	// If the content cannot be determined, the result is an empty file, because the real step opens the file first.
	i := on.index(name)
	if i < 0 {
		i = len(on.files)
		on.files = append(on.files, File{Path: name, Mode: 0o644})
	}
	placed := &on.files[i]
	placed.Content = nil
	content, err := a.contentOf(ctx, node, file)
	if err != nil {
		return err
	}
	placed.Content = content
	if mode := toMode(file.Get("mode")); mode != 0 {
		placed.Mode = mode
	}
	if file.Get("owner") != nil {
		placed.Owner = toMode(file.Get("owner"))
	}
	if file.Get("group") != nil {
		placed.Group = toMode(file.Get("group"))
	}
	return nil
}

func folderOf(name string) string { return name[:max(0, strings.LastIndexByte(name, '/'))] }

// makeFolders creates a folder with the given mode, or 0755 if it is 0, and missing folders above it with 0755.
func (m *mounted) makeFolders(name string, mode int) {
	if m.isFolder(name) {
		return
	}
	m.makeFolders(folderOf(name), 0)
	m.files = append(m.files, File{Path: name, Folder: true, Mode: cmp.Or(mode, 0o755)})
}

func toMode(v any) int {
	n, _ := v.(hints.PythonInt)
	mode, err := strconv.Atoi(string(n))
	if err != nil {
		return 0
	}
	return mode
}

// field matches a replacement field in the syntax of Python's format strings, such as {node[uuid]}.
var field = regexp.MustCompile(`\{(node|ports)((?:\[[^\]]*\])*)\}`)

// contentOf returns the content of a file to inject. The description of the file contains either this content,
// encoded in base64, or the URL from which to download it.
func (a *agent) contentOf(ctx context.Context, node, file *dict) ([]byte, error) {
	text, ok := file.Get("content").(string)
	if !ok {
		return nil, raise("TypeError", "argument of type '%s' is not iterable", hints.PythonTypeName(file.Get("content")))
	}
	if !strings.Contains(text, "://") {
		return decodeBase64(text)
	}
	address := field.ReplaceAllStringFunc(text, func(match string) string {
		parts := field.FindStringSubmatch(match)
		var value any = node
		if parts[1] == "ports" {
			value = a.ports
		}
		for key := range strings.SplitSeq(strings.Trim(parts[2], "[]"), "][") {
			if d, ok := value.(*dict); ok && key != "" {
				value = d.Get(key)
			}
		}
		return python.Str(value)
	})
	status, content, err := a.get(ctx, address)
	switch {
	case status >= http.StatusBadRequest:
		whose := "Client"
		if status >= http.StatusInternalServerError {
			whose = "Server"
		}
		return nil, newFault(commandExecution, "Unable to read data from %s: %d %s Error: %s for url: %s",
			address, status, whose, http.StatusText(status), address)
	case err != nil:
		return nil, newFault(commandExecution, "Unable to read data from %s: %v", address, err)
	}
	return content, nil
}

// get returns the response to a GET request. The status is 0 if there is no response.
func (a *agent) get(ctx context.Context, address string) (status int, body []byte, err error) {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, address, http.NoBody)
	if err != nil {
		return 0, nil, err
	}
	response, err := a.options.Client.Do(request)
	if err != nil {
		return 0, nil, err
	}
	defer func() { _ = response.Body.Close() }()
	body, err = io.ReadAll(response.Body)
	return response.StatusCode, body, err
}

// decodeBase64 decodes base64 like Python, which skips invalid characters.
func decodeBase64(text string) ([]byte, error) {
	var clean strings.Builder
	padding := 0
	for _, c := range text {
		switch {
		case c >= 'a' && c <= 'z', c >= 'A' && c <= 'Z', c >= '0' && c <= '9', c == '+', c == '/':
			clean.WriteRune(c)
		case c == '=':
			padding++
		}
	}
	data := clean.String()
	switch rest := len(data) % 4; {
	case rest == 1:
		return nil, fmt.Errorf("Invalid base64-encoded string: number of data characters (%d) cannot be 1 more than a multiple of 4", len(data)) //nolint:staticcheck // Python's message
	case rest != 0 && padding < 4-rest:
		return nil, errors.New("Incorrect padding") //nolint:staticcheck // Python's message
	}
	return base64.RawStdEncoding.DecodeString(data)
}
