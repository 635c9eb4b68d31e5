package contract

import "golang.org/x/sys/unix"

// minimumFree is the most space, in bytes, that the databases and logs of three Ironics need.
const minimumFree = 1 << 30

// memoryFolder returns a folder in memory, where writes are cheap. It returns "" if the folder has less than
// minimumFree bytes available; in containers, its size is often only 64 MiB.
func memoryFolder() string {
	const folder = "/dev/shm"
	var info unix.Statfs_t
	if err := unix.Statfs(folder, &info); err != nil || info.Bavail*uint64(info.Bsize) < minimumFree {
		return ""
	}
	return folder
}
