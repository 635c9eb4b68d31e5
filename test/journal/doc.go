// Package journal tests how a machine's log is followed: the real sshd, the real journalctl
// and real journal files on one side, a Follower on the other; what the one wrote and what
// the other gives is compared line by line.
package journal
