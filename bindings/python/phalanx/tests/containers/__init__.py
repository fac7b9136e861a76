"""Containers, whole files, folders, and what becomes of old ones."""
