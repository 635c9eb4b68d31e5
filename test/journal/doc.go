// Package journal tests following a machine's log with the real sshd, the real journalctl and real journal files on
// one side and a Follower on the other: the written and the received lines must be the same.
package journal
