package image

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"math"
)

const (
	blockSize  = 512
	gptMagic   = "EFI PART"
	gptHeader  = 92
	maxGPT     = 1 << 20
	partitions = 446 // the offset of the partition table in the MBR
)

// moveGPT adapts the GPT to a new image size, in bytes. It returns the changed ranges at the front of the image and
// the backup GPT, which must be at the end of the image (UEFI 2.10, 5.3.2). Both are empty if the image has no GPT.
func (f isoFiles) moveGPT(size int64) (front []Range, backup []byte, err error) {
	header := make([]byte, blockSize)
	if err := readFull(f.r, header, blockSize); err != nil {
		return nil, nil, err
	}
	if string(header[:8]) != gptMagic || binary.LittleEndian.Uint32(header[12:]) != gptHeader {
		return nil, nil, nil
	}
	entries := int64(binary.LittleEndian.Uint32(header[80:])) * int64(binary.LittleEndian.Uint32(header[84:]))
	at := binary.LittleEndian.Uint64(header[72:])
	if entries <= 0 || entries > maxGPT || at > uint64(f.size/blockSize) { //nolint:gosec // sizes are positive
		return nil, nil, fmt.Errorf("%w: invalid GPT", ErrNotISO)
	}
	table := make([]byte, (entries+blockSize-1)/blockSize*blockSize)
	if err := readFull(f.r, table, int64(at)*blockSize); err != nil { //nolint:gosec // checked
		return nil, nil, err
	}
	last := size/blockSize - 1
	second := last - int64(len(table))/blockSize
	binary.LittleEndian.PutUint64(header[32:], uint64(last)) //nolint:gosec // a block of the image
	// The last usable block directly precedes the backup.
	binary.LittleEndian.PutUint64(header[48:], uint64(second-1)) //nolint:gosec // a block of the image
	other := bytes.Clone(header)
	binary.LittleEndian.PutUint64(other[24:], uint64(last)) //nolint:gosec // a block of the image
	binary.LittleEndian.PutUint64(other[32:], 1)
	binary.LittleEndian.PutUint64(other[72:], uint64(second)) //nolint:gosec // a block of the image
	setChecksum(header)
	setChecksum(other)
	return []Range{{Offset: blockSize, Length: blockSize, Data: header}}, append(table, other...), nil
}

// setChecksum computes and sets the checksum of a GPT header. The checksum field itself counts as zeros.
func setChecksum(header []byte) {
	clear(header[16:20])
	binary.LittleEndian.PutUint32(header[16:], crc32.ChecksumIEEE(header[:gptHeader]))
}

// moveMBR returns the changes to the MBR that resize partitions at the end of the image to the new size in bytes.
func (f isoFiles) moveMBR(size int64) ([]Range, error) {
	sector := make([]byte, blockSize)
	if err := readFull(f.r, sector, 0); err != nil {
		return nil, err
	}
	if sector[510] != 0x55 || sector[511] != 0xaa {
		return nil, nil
	}
	var ranges []Range
	for i := range int64(4) {
		at := partitions + 16*i
		start, length := int64(binary.LittleEndian.Uint32(sector[at+8:])), int64(binary.LittleEndian.Uint32(sector[at+12:]))
		if sector[at+4] == 0 && length == 0 || start+length != f.size/blockSize {
			continue
		}
		blocks := min(size/blockSize-start, math.MaxUint32)
		data := binary.LittleEndian.AppendUint32(nil, uint32(blocks)) //nolint:gosec // limited above
		ranges = append(ranges, Range{Offset: at + 12, Length: 4, Data: data})
	}
	return ranges, nil
}
