"""Files, pipes and installations as the operating system has them."""

import os
import subprocess
import sys
import textwrap
from pathlib import Path
from threading import Thread

import pytest

from toolscore_otel.errors import InputError
from toolscore_otel.model import Span
from toolscore_otel.wire import read_file

LINE = (
    b'{"resourceSpans":[{"scopeSpans":[{"spans":[{"traceId":"0af7651916cd43dd8448eb211c80319c",'
    b'"spanId":"b7ad6b7169203331","name":"chat"}]}]}]}\n'
)


def python(program: str, given: bytes = b"") -> subprocess.CompletedProcess[bytes]:
    return subprocess.run(
        [sys.executable, "-c", textwrap.dedent(program)],
        input=given,
        capture_output=True,
        check=False,
    )


def test_a_dash_is_standard_input():
    done = python(
        """
        from toolscore_otel.wire import read_file
        print([span.name for span in read_file("-")])
        """,
        LINE * 2,
    )
    assert (done.stdout, done.stderr) == (b"['chat', 'chat']\n", b"")


def test_an_error_in_standard_input_names_it():
    done = python(
        """
        from toolscore_otel.errors import InputError
        from toolscore_otel.wire import read_file
        try:
            list(read_file("-"))
        except InputError as error:
            print(error)
        """,
        LINE + LINE[:40],
    )
    assert done.stdout.startswith(b"<stdin>:2: the JSON is cut off at the end of this line.")


def test_json_needs_no_protobuf_and_protobuf_says_what_to_install():
    done = python(
        f"""
        import sys
        sys.modules["google"] = sys.modules["google.protobuf"] = None
        from toolscore_otel.errors import MissingExtraError
        from toolscore_otel.wire import read_bytes
        print(len(list(read_bytes({LINE!r}))))
        for _ in range(2):
            try:
                list(read_bytes(b"\\x0a\\x00"))
            except MissingExtraError as error:
                print(error)
        """
    )
    missing = (
        b"reading protobuf files needs an extra that is not installed: "
        b"pip install 'toolscore-otel[cli]'"
    )
    assert done.stdout.splitlines() == [b"1", missing, missing]


def test_reading_json_loads_no_protobuf():
    done = python(
        f"""
        import sys
        from toolscore_otel.wire import read_bytes
        list(read_bytes({LINE!r}))
        print("google.protobuf" in sys.modules)
        """
    )
    assert done.stdout == b"False\n"


def test_a_pipe_is_a_file(tmp_path: Path):
    pipe = tmp_path / "spans.jsonl"
    os.mkfifo(pipe)
    writer = Thread(target=pipe.write_bytes, args=(LINE * 3,))
    writer.start()
    assert [type(item) for item in read_file(pipe)] == [Span] * 3
    writer.join()


@pytest.mark.skipif(sys.platform != "linux", reason="needs a file that opens and does not read")
def test_a_file_that_breaks_off_while_it_is_read_is_an_input_error():
    memory = Path("/proc/self/mem")  # may be opened, and its first page may not be read
    with pytest.raises(InputError, match=r"^/proc/self/mem: it cannot be read: Input/output error"):
        list(read_file(memory))
