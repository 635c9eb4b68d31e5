"""Print the bcrypt hash of the password on stdin."""

import sys

import bcrypt

# The cheapest cost: Ironic checks the password at every request.
print(bcrypt.hashpw(sys.stdin.buffer.read(), bcrypt.gensalt(4)).decode())
