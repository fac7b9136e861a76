"""As in `cryptography`."""
