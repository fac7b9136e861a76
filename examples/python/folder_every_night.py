"""A folder that is sealed every night, as a folder of containers that follows it, and opened again."""

import os
import pathlib
import tempfile

import phalanx

folder, key = pathlib.Path(tempfile.mkdtemp()), os.urandom(32)
(folder / "documents").mkdir()
(folder / "documents" / "letter").write_text("Dear all,")
(folder / "documents" / "draft").write_text("Dear ...")


def failed(file: phalanx.TreeFileResult) -> None:
    """Told of each file that is not as it was."""
    if file.state == "failed":
        print(file.path, file.why)


def seal() -> phalanx.SealTreeCounts:
    return phalanx.seal_tree(
        folder / "documents", folder / "backup", update="time", prune=True, key=key, on_file=failed
    )


first = seal()
(folder / "documents" / "letter").write_text("Dear all, again")
(folder / "documents" / "draft").unlink()
second = seal()
opened = phalanx.unseal_tree(folder / "backup", folder / "restored", key=key, on_file=failed)
print(
    f"{first.sealed} sealed, then {second.sealed} sealed, {second.unchanged} unchanged, "
    f"{second.removed} removed; {opened.opened} opened"
)
assert (folder / "restored" / "letter").read_text() == "Dear all, again"
