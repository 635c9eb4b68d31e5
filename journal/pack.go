package journal

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/klauspost/compress/zstd"

	"ironworks/models"
)

// packedAs is the first byte of packed data, which names the format.
const packedAs = 1

// maxUnpacked is the maximum size of an unpacked chunk or snapshot, in bytes.
const maxUnpacked = 64 << 20

// packer packs values that are to be written, and unpacks chunks that are to be extended. It is not safe for
// concurrent use.
type packer struct {
	*unpacker
	zstd *zstd.Encoder
	text bytes.Buffer
}

func newPacker() (*packer, error) {
	e, err := zstd.NewWriter(nil, zstd.WithEncoderLevel(zstd.SpeedFastest), zstd.WithEncoderConcurrency(1), zstd.WithWindowSize(1<<18))
	if err != nil {
		return nil, fmt.Errorf("journal: %w", err)
	}
	u, err := newUnpacker()
	if err != nil {
		return nil, err
	}
	return &packer{unpacker: u, zstd: e}, nil
}

func (p *packer) close() {
	p.unpacker.close()
	_ = p.zstd.Close()
}

// pack calls values, and packs everything that this function adds. Each added value becomes one line of JSON.
func (p *packer) pack(values func(add func(any) error) error) ([]byte, error) {
	p.text.Reset()
	encoder := json.NewEncoder(&p.text)
	encoder.SetEscapeHTML(false)
	if err := values(encoder.Encode); err != nil {
		return nil, err
	}
	return p.zstd.EncodeAll(p.text.Bytes(), []byte{packedAs}), nil
}

// unpacker reverses the packing done by a packer.
type unpacker struct{ zstd *zstd.Decoder }

func newUnpacker() (*unpacker, error) {
	d, err := zstd.NewReader(nil, zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxMemory(maxUnpacked))
	if err != nil {
		return nil, fmt.Errorf("journal: %w", err)
	}
	return &unpacker{d}, nil
}

func (u *unpacker) close() { u.zstd.Close() }

// unpack unpacks data, and returns a decoder for the JSON values in it.
func (u *unpacker) unpack(packed []byte) (*json.Decoder, error) {
	if len(packed) == 0 || packed[0] != packedAs {
		return nil, errors.New("unknown compression")
	}
	text, err := u.zstd.DecodeAll(packed[1:], nil)
	if err != nil {
		return nil, err
	}
	return json.NewDecoder(bytes.NewReader(text)), nil
}

// packedLine is a line in a chunk. The node and the boot are not part of it, because all lines of a chunk have them
// in common. Times are in microseconds since 1970; 0 means that there is none.
type packedLine struct {
	Time     int64                   `json:"t,omitempty"`
	Received int64                   `json:"r,omitempty"`
	Source   models.LogSource        `json:"s"`
	Unit     string                  `json:"u,omitempty"`
	Level    models.LogLevel         `json:"l"`
	Text     string                  `json:"x"`
	Cursor   string                  `json:"c,omitempty"`
	Ordinal  int                     `json:"o,omitempty"`
	Progress *models.InstallProgress `json:"p,omitempty"`
	Known    string                  `json:"k,omitempty"`
}

func (p *packer) packLines(lines []line) ([]byte, error) {
	return p.pack(func(add func(any) error) error {
		for i := range lines {
			l := &lines[i]
			if err := add(&packedLine{
				Time: microOrZero(l.Time), Received: microOrZero(l.Received), Source: l.Source, Unit: l.Unit, Level: l.Level,
				Text: l.Text, Cursor: l.Cursor, Ordinal: l.ordinal, Progress: l.Progress, Known: l.Known,
			}); err != nil {
				return err
			}
		}
		return nil
	})
}

func (u *unpacker) lines(packed []byte, node models.NodeRef, boot string) ([]line, error) {
	var lines []line
	err := unpackEach(u, packed, func(p packedLine) {
		lines = append(lines, line{models.LogLine{
			Time: timeOrZero(p.Time), Received: timeOrZero(p.Received), Node: node, Source: p.Source, Unit: p.Unit, Level: p.Level,
			Text: p.Text, Boot: boot, Cursor: p.Cursor, Progress: p.Progress, Known: p.Known,
		}, p.Ordinal})
	})
	return lines, err
}

// unpackEach calls yield for each value in packed data.
func unpackEach[T any](u *unpacker, packed []byte, yield func(T)) error {
	decoder, err := u.unpack(packed)
	if err != nil {
		return err
	}
	for {
		var value T
		switch err := decoder.Decode(&value); {
		case errors.Is(err, io.EOF):
			return nil
		case err != nil:
			return err
		}
		yield(value)
	}
}

func microOrZero(t time.Time) int64 {
	if t.IsZero() {
		return 0
	}
	return t.UnixMicro()
}

func timeOrZero(micro int64) time.Time {
	if micro == 0 {
		return time.Time{}
	}
	return timeAt(micro)
}

// cursors unpacks lines, but sets only the fields that identify them.
func (u *unpacker) cursors(packed []byte) ([]line, error) {
	type position struct {
		Cursor  string `json:"c"`
		Ordinal int    `json:"o"`
	}
	var lines []line
	err := unpackEach(u, packed, func(p position) {
		if p.Cursor != "" {
			lines = append(lines, line{models.LogLine{Cursor: p.Cursor}, p.Ordinal})
		}
	})
	return lines, err
}
