"""phalanx.compat beside the packages whose names it has."""
