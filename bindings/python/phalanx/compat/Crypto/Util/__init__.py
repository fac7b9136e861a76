"""Counter and Padding, as in pycryptodome; its other modules are its own, where it is installed."""
