// Package journal tests how a Follower receives a machine's log. The machine has the real sshd, the real journalctl
// and real journal files. The lines received must equal the lines written.
package journal
