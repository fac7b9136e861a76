"""What all of the package has: docstrings, secrets, processes and threads, failures, arrays on a GPU."""
