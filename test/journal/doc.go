// Package journal tests following a machine's log. The real sshd, the real journalctl and real journal files are on
// one side, and a Follower on the other. The lines received must equal the lines written.
package journal
