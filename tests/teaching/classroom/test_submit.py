"""`paddock class submit`: a student submits over the network."""

from __future__ import annotations

from pathlib import Path

import pytest

from command_line import paddock
from network.server.classes_served import add_exercise, make_class, served_class

PROGRAM = b"def act(observation):\n    return 0.05, 0.05\n"


@pytest.mark.heavy
def test_file_is_submitted_by_link_and_receipt_is_printed(tmp_path: Path) -> None:
    folder = make_class(tmp_path)
    add_exercise(folder, "see-little")
    program = tmp_path / "my drive.py"
    program.write_bytes(PROGRAM)
    with served_class(folder) as served:

        def submit(*arguments: str) -> str:
            printed = paddock("class", "submit", str(program), *arguments)
            assert (printed.returncode == 0) == (not printed.stderr)
            return printed.stdout or printed.stderr

        link = served.link("Zoë M.")
        first = submit("--link", link, "--exercise", "see-little")
        assert "receipt 1: 0001-my-drive.py of Zoë M. for see-little" in first
        (receipt,) = folder.receipts("Zoë M.")
        assert receipt.sha256 in first
        assert (folder.path / "submissions" / receipt.file).read_bytes() == PROGRAM
        assert "finished" not in served.log  # a program of the same student would go on
        assert "did you mean 'see-little'" in submit("--link", link, "--exercise", "see-litle")
        assert "no exercise is open" in submit("--link", link)
        wrong = submit("--link", link.replace("token=", "token=x"), "--exercise", "see-little")
        assert "this token is not valid here" in wrong
        program.write_text("def act(:\n")
        assert "line 1: this is not a Python program" in submit("--link", link, "--exercise", "see-little")
    assert len(folder.receipts()) == 1
