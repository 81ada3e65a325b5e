"""OTLP as it stands in files -> spans and log records, and back.

source      a file, standard input or bytes -> chunks, unpacked -> lines or frames
sniff       what the first bytes are
json_*      JSON lines and documents          otlp_json    one request in JSON
proto_*     messages, and which signal        otlp_proto   one request in protobuf; loaded when one is read
write_*     spans and log records -> OTLP      recordings   which files belong together

What a server passes on, loaded by it alone:

passing     a request, span by span            editing      a span with findings on it and secrets out of it
marks       our own findings, known again      json_to_proto   an export in JSON -> the same in protobuf
"""

from toolscore_otel.wire.files import read_bytes, read_file
from toolscore_otel.wire.recordings import group_recordings, recording_name
from toolscore_otel.wire.stats import ReadStats
from toolscore_otel.wire.write_json import to_otlp_json

__all__ = [
    "ReadStats",
    "group_recordings",
    "read_bytes",
    "read_file",
    "recording_name",
    "to_otlp_json",
]
