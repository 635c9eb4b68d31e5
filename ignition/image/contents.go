package image

import (
	"bytes"
	"fmt"
	"io"
	"slices"
	"strings"
)

// segment is one archive of an area, with the bytes it was read from.
type segment struct {
	offset  int64
	packed  []byte
	entries []entry
}

// contents are the archives in an area. Those that an edit has nothing to do
// with stay byte for byte what and where they are: what coreos-installer or
// assisted-image-service put there, and an area whose configuration is taken
// out again is what it was before.
type contents struct {
	segments []segment
}

// maxEntries bounds the files and folders of an area: a keyfile for each
// network card is much.
const maxEntries = 10_000

// readContents reads an area.
func readContents(b []byte) (contents, error) {
	var c contents
	var entries int
	a := newArchives(bytes.NewReader(b), maxUnpacked)
	for {
		found, err := a.next()
		if err != nil || !found {
			return c, err
		}
		s := segment{offset: a.position()}
		err = a.read(func(e *entry, content io.Reader) error {
			if entries++; entries > maxEntries {
				return fmt.Errorf("more than %d files", maxEntries)
			}
			var err error
			e.content, err = readContent(e, content, maxConfig)
			s.entries = append(s.entries, *e)
			return err
		})
		if err != nil {
			return contents{}, err
		}
		s.packed = bytes.Clone(b[s.offset:a.position()])
		c.segments = append(c.segments, s)
	}
}

// members are the files, the last one of a name.
func (c contents) members() []Member {
	var found []Member
	at := map[string]int{}
	for _, s := range c.segments {
		for i := range s.entries {
			e := &s.entries[i]
			if !e.isFile() {
				continue
			}
			m := Member{Name: e.plain(), Mode: e.fields[fieldMode] & 0o7777, Content: e.content}
			if old, seen := at[m.Name]; seen {
				found[old] = m
				continue
			}
			at[m.Name] = len(found)
			found = append(found, m)
		}
	}
	return found
}

// config is the embedded configuration, nil if there is none.
func (c contents) config() []byte {
	for _, m := range c.members() {
		if m.Name == configName {
			return append([]byte{}, m.Content...)
		}
	}
	return nil
}

// isNetwork tells whether a member is a keyfile for the initramfs.
func isNetwork(name string) bool { return strings.HasPrefix(name, networkFolder+"/") }

// without takes the configuration out.
func (c contents) without() (contents, error) {
	var kept contents
	for _, s := range c.segments {
		entries := slices.DeleteFunc(slices.Clone(s.entries), func(e entry) bool { return e.plain() == configName })
		if len(entries) < len(s.entries) {
			if !slices.ContainsFunc(entries, func(e entry) bool { return !e.isFolder() }) {
				continue
			}
			packed, err := compress(writeArchive(entries))
			if err != nil {
				return contents{}, err
			}
			s.packed, s.entries = packed, entries
		}
		kept.segments = append(kept.segments, s)
	}
	return kept, nil
}

// with puts a configuration behind the rest.
func (c contents) with(config []byte) (contents, error) {
	packed, err := Wrap(config)
	if err != nil {
		return contents{}, err
	}
	own := segment{packed: packed, entries: []entry{newEntry(configName, typeFile|0o600, config)}}
	return contents{segments: append(slices.Clip(c.segments), own)}, nil
}

// merged has everything in one archive, which takes less.
func (c contents) merged() (contents, error) {
	one := segment{}
	for _, s := range c.segments {
		one.entries = append(one.entries, s.entries...)
	}
	var err error
	one.packed, err = compress(writeArchive(one.entries))
	return contents{segments: []segment{one}}, err
}

// bytes lays the archives out: each where it was if it can stay there, else
// behind the one before, at a multiple of 4 as the kernel wants it. The rest of
// the area is zeros and left out.
func (c contents) bytes(capacity int64) ([]byte, error) {
	laid := c.lay()
	if int64(len(laid)) > capacity && len(c.segments) > 1 {
		one, err := c.merged()
		if err != nil {
			return nil, err
		}
		if merged := one.lay(); len(merged) < len(laid) {
			laid = merged
		}
	}
	if int64(len(laid)) > capacity {
		return nil, &TooLargeError{What: "the gzip-compressed configuration", Size: int64(len(laid)), Capacity: capacity}
	}
	return laid, nil
}

func (c contents) lay() []byte {
	var b []byte
	for _, s := range c.segments {
		end := int64(len(b)) + padding(int64(len(b)))
		b = append(b, make([]byte, max(end, s.offset)-int64(len(b)))...)
		b = append(b, s.packed...)
	}
	return b
}

// TooLargeError says that something does not fit into its area of an image,
// which never grows.
type TooLargeError struct {
	// What takes Size bytes, Capacity are there.
	What           string
	Size, Capacity int64
}

func (e *TooLargeError) Error() string {
	return fmt.Sprintf("%s needs %d bytes, but the image has room for %d (%d too many)", e.What, e.Size, e.Capacity, e.Size-e.Capacity)
}
