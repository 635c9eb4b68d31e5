package image

import (
	"bytes"
	"fmt"
	"io"
	"slices"
)

type segment struct {
	offset  int64
	packed  []byte
	entries []entry
}

// contents holds the archives in an area. Archives that an edit does not affect keep their bytes and their offset.
// Archives from other programs therefore survive, and removing an embedded configuration restores the original area.
type contents struct {
	segments []segment
}

// maxEntries limits the number of files and folders in an area. It suffices for one keyfile per network card.
const maxEntries = 10_000

func readContents(b []byte) (contents, error) {
	var c contents
	var entries int
	a := newArchives(bytes.NewReader(b), maxUnpacked)
	for {
		found, err := skipZeros(a.in)
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

// members returns the files in the area. If several files have the same name, it returns only the last one.
func (c contents) members() []Member {
	var found []Member
	at := map[string]int{}
	for _, s := range c.segments {
		for i := range s.entries {
			e := &s.entries[i]
			if !e.isFile() {
				continue
			}
			m := Member{Name: e.relativeName(), Mode: e.fields[fieldMode] & 0o7777, Content: e.content}
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

func (c contents) config() []byte {
	for _, m := range c.members() {
		if m.Name == configName {
			return append([]byte{}, m.Content...)
		}
	}
	return nil
}

func (c contents) without() contents {
	var kept contents
	for _, s := range c.segments {
		entries := slices.DeleteFunc(slices.Clone(s.entries), func(e entry) bool { return e.relativeName() == configName })
		if len(entries) < len(s.entries) {
			if !slices.ContainsFunc(entries, func(e entry) bool { return !e.isFolder() }) {
				continue
			}
			s.packed, s.entries = compress(writeArchive(entries)), entries
		}
		kept.segments = append(kept.segments, s)
	}
	return kept
}

// with returns a copy of the contents with config appended as a separate archive.
func (c contents) with(config []byte) (contents, error) {
	packed, err := Wrap(config)
	if err != nil {
		return contents{}, err
	}
	own := segment{packed: packed, entries: []entry{newEntry(configName, typeFile|0o600, config)}}
	return contents{segments: append(slices.Clip(c.segments), own)}, nil
}

// merged returns the contents as a single archive, which takes less space.
func (c contents) merged() contents {
	one := segment{}
	for _, s := range c.segments {
		one.entries = append(one.entries, s.entries...)
	}
	one.packed = compress(writeArchive(one.entries))
	return contents{segments: []segment{one}}
}

// bytes returns the new content of the area without trailing zeros. Each archive keeps its offset if possible;
// otherwise it follows the previous archive, aligned to 4 bytes as the kernel requires. If the archives need more
// than capacity bytes, they are merged. If they are still too large, the error is a [TooLargeError].
func (c contents) bytes(capacity int64) ([]byte, error) {
	laid := c.lay()
	if int64(len(laid)) > capacity && len(c.segments) > 1 {
		if merged := c.merged().lay(); len(merged) < len(laid) {
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

// TooLargeError means that content does not fit into its area, which cannot grow as it is only a part of a file.
type TooLargeError struct {
	// What describes the content. It needs Size bytes, but the area holds only Capacity bytes.
	What           string
	Size, Capacity int64
}

func (e *TooLargeError) Error() string {
	return fmt.Sprintf("%s needs %d bytes, but the image has room for %d (%d too many)", e.What, e.Size, e.Capacity, e.Size-e.Capacity)
}
