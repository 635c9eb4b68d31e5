package contract

import "golang.org/x/sys/unix"

// minimumFree is the number of bytes that the databases and logs of three Ironics need at most.
const minimumFree = 1 << 30

// memoryFolder returns a folder in memory, where writes are cheap, or "" if it lacks room: containers often have 64
// MiB there.
func memoryFolder() string {
	const folder = "/dev/shm"
	var info unix.Statfs_t
	if err := unix.Statfs(folder, &info); err != nil || info.Bavail*uint64(info.Bsize) < minimumFree {
		return ""
	}
	return folder
}
