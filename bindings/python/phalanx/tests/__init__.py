"""The package's tests, installed with it: pytest --pyargs phalanx."""
