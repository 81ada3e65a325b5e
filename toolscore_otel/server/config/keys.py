"""Every key of the configuration, with its default. A record's fields are its YAML keys.

Times and addresses stand as they are written (`10s`, `127.0.0.1:4317`) and are read by `seconds` and `Address`; texts that
must not be seen are `SecretText`.
"""

from __future__ import annotations

from enum import StrEnum

from msgspec import Struct, field

from toolscore_otel.emit import ScoresAs
from toolscore_otel.server.secret_text import SecretText


class Mode(StrEnum):
    """What the server does with the spans themselves."""

    MIRROR = "mirror"
    """A copy comes in, findings go out."""
    INLINE = "inline"
    """Spans pass through to `next_hop`, annotated and redacted."""


class Affinity(StrEnum):
    """What the routing before this server keeps together. Each one keeps what stands before it, too."""

    TRACE = "trace"
    SERVICE = "service"
    SESSION = "session"


class Protocol(StrEnum):
    """How OTLP is sent."""

    GRPC = "grpc"
    HTTP = "http"


class Compression(StrEnum):
    """Of what is sent."""

    GZIP = "gzip"
    NONE = "none"


class FindingsAs(StrEnum):
    """How findings are told over OTLP: as log events, as spans, or both."""

    LOGS = "logs"
    SPANS = "spans"
    BOTH = "both"


class ServerTls(Struct, frozen=True, kw_only=True):
    """Certificates of a listener. Changed files are read again on SIGHUP.

    Attributes:
        cert_file: certificate chain, PEM.
        key_file: its private key, PEM.
        client_ca_file: PEM; with it, clients must show a certificate that it signed.
    """

    cert_file: str
    key_file: str
    client_ca_file: str | None = None


class KeepaliveServer(Struct, frozen=True, kw_only=True):
    """How long connections of senders live.

    Attributes:
        max_connection_idle: a connection without calls is closed after it; none: never.
        max_connection_age: a connection is closed after it, so that senders spread anew; none: never.
        max_connection_age_grace: how long its calls may go on then.
        time: after so long without a sign of life a sender is pinged.
        timeout: how long its answer may take.
    """

    max_connection_idle: str | None = None
    max_connection_age: str | None = None
    max_connection_age_grace: str | None = None
    time: str = "2h"
    timeout: str = "20s"


class KeepaliveEnforcement(Struct, frozen=True, kw_only=True):
    """Which pings of senders are tolerated.

    Attributes:
        min_time: pings that come faster close the connection.
        permit_without_stream: whether a sender may ping while no call is open.
    """

    min_time: str = "10s"
    permit_without_stream: bool = True


class Keepalive(Struct, frozen=True, kw_only=True):
    """Keys as in the Collector's gRPC receiver.

    Attributes:
        server_parameters: how long connections live.
        enforcement_policy: which pings are tolerated.
    """

    server_parameters: KeepaliveServer = KeepaliveServer()
    enforcement_policy: KeepaliveEnforcement = KeepaliveEnforcement()


class GrpcReceiver(Struct, frozen=True, kw_only=True):
    """OTLP over gRPC.

    Attributes:
        endpoint: where to listen; port 0: any that is free.
        max_recv_msg_size_mib: of one request, after decompression.
        max_concurrent_streams: calls open at once on one connection; none: no limit.
        keepalive: of connections.
        tls: certificates; none: in the clear.
    """

    endpoint: str = "127.0.0.1:14317"
    max_recv_msg_size_mib: int = 64
    max_concurrent_streams: int | None = None
    keepalive: Keepalive = Keepalive()
    tls: ServerTls | None = None


class HttpReceiver(Struct, frozen=True, kw_only=True):
    """OTLP over HTTP.

    Attributes:
        endpoint: where to listen; port 0: any that is free.
        max_request_body_size_mib: of one request, after decompression.
        tls: certificates; none: in the clear.
    """

    endpoint: str = "127.0.0.1:14318"
    max_request_body_size_mib: int = 64
    tls: ServerTls | None = None


class Protocols(Struct, frozen=True, kw_only=True):
    """What is listened to. Where `protocols` stands, only what is named in it; else both.

    Attributes:
        grpc: OTLP over gRPC.
        http: OTLP over HTTP.
    """

    grpc: GrpcReceiver | None = None
    http: HttpReceiver | None = None


class Auth(Struct, frozen=True, kw_only=True):
    """Who may send.

    Attributes:
        bearer_tokens: any of them is let in; empty: everybody is.
        allow_unauthenticated: listen beyond loopback although everybody may send.
    """

    bearer_tokens: list[SecretText] = []
    allow_unauthenticated: bool = False


class OtlpReceiver(Struct, frozen=True, kw_only=True):
    """The OTLP receiver.

    Attributes:
        protocols: what is listened to.
        auth: who may send, over every protocol.
    """

    protocols: Protocols = Protocols(grpc=GrpcReceiver(), http=HttpReceiver())
    auth: Auth = Auth()


class Receivers(Struct, frozen=True, kw_only=True):
    """What is received.

    Attributes:
        otlp: OTLP, of all signals.
    """

    otlp: OtlpReceiver = OtlpReceiver()


class ClientTls(Struct, frozen=True, kw_only=True):
    """How another server is trusted.

    Attributes:
        insecure: no TLS at all.
        ca_file: who may have signed its certificate, PEM; none: who the system trusts.
        cert_file: our own certificate, PEM, where it wants one.
        key_file: its private key, PEM.
        server_name_override: the name its certificate is for, where that is not the host's; gRPC only.
    """

    insecure: bool = False
    ca_file: str | None = None
    cert_file: str | None = None
    key_file: str | None = None
    server_name_override: str | None = None


class NextHopConfig(Struct, frozen=True, kw_only=True):
    """An OTLP server that something is sent to.

    Attributes:
        endpoint: `host:port`, or `http://` or `https://` and that; with HTTP a path may follow, before `/v1/traces`.
        protocol: `grpc` or `http`.
        tls: how it is trusted; not needed where the endpoint is a URL that says which.
        compression: of what is sent: `gzip` or `none`.
        headers: sent with every request.
        timeout: how long an answer may take.
    """

    endpoint: str
    protocol: Protocol = Protocol.GRPC
    tls: ClientTls = ClientTls()
    compression: Compression = Compression.GZIP
    headers: dict[str, SecretText] = {}
    timeout: str = "10s"


class Alertmanager(Struct, frozen=True, kw_only=True):
    """Alerts straight to a Prometheus Alertmanager.

    Attributes:
        url: of the Alertmanager, without `/api/v2/alerts`.
        headers: sent with every request.
    """

    url: str
    headers: dict[str, SecretText] = {}


class Webhook(Struct, frozen=True, kw_only=True):
    """Findings as JSON to an address.

    Attributes:
        url: that is posted to; hidden, since such addresses hold tokens.
        headers: sent with every request.
    """

    url: SecretText
    headers: dict[str, SecretText] = {}


class Findings(Struct, frozen=True, kw_only=True):
    """Where findings go; with none of these, inline to the next hop, else one line each on stderr.

    Attributes:
        otlp: an OTLP server.
        file: one OTLP/JSON log export a line is appended to it.
        alertmanager: alerts to it.
        webhook: JSON to it.
        as_: `as`: how they are told over OTLP.
        scores: whether those of closed traces are told beside them, over OTLP and in the file.
    """

    otlp: NextHopConfig | None = None
    file: str | None = None
    alertmanager: Alertmanager | None = None
    webhook: Webhook | None = None
    as_: FindingsAs = field(default=FindingsAs.LOGS, name="as")
    scores: ScoresAs = ScoresAs.EVENTS


class Listener(Struct, frozen=True, kw_only=True):
    """An HTTP listener of our own.

    Attributes:
        endpoint: where to listen; port 0: any that is free.
    """

    endpoint: str


class MetricsPush(NextHopConfig, frozen=True, kw_only=True):
    """An OTLP server that metrics are sent to: the keys of `next_hop`, and one more.

    Attributes:
        interval: from one export to the next.
    """

    interval: str = "10s"


class Metrics(Struct, frozen=True, kw_only=True):
    """Where metrics go.

    Attributes:
        prometheus: `/metrics` for a Prometheus to scrape; null: none.
        otlp: an OTLP server they are pushed to.
    """

    prometheus: Listener | None = Listener(endpoint="127.0.0.1:9464")
    otlp: MetricsPush | None = None


class Secrets(Struct, frozen=True, kw_only=True):
    """How secrets that are found are told apart without being shown.

    Attributes:
        key: of their fingerprints; none: a random one, which `state_dir` keeps, else it lasts as long as the process.
    """

    key: SecretText | None = None


class Trajectories(Struct, frozen=True, kw_only=True):
    """When a trace is taken to be over.

    Attributes:
        settle: how long after its root's end.
        idle: how long after its last span.
        max_age: how long after its first span.
        lateness: how long a verdict waits that a span still to come could turn.
    """

    settle: str = "2s"
    idle: str = "60s"
    max_age: str = "1h"
    lateness: str = "5s"


class Sessions(Struct, frozen=True, kw_only=True):
    """When a session (one conversation over many traces) is taken to be over.

    Attributes:
        idle: how long after its last span.
        max_age: how long after its first span.
    """

    idle: str = "24h"
    max_age: str = "7d"


class Caps(Struct, frozen=True, kw_only=True):
    """Caps, each with a counter that says how often it was reached.

    Attributes:
        memory_mib: of all open and closed trajectories together, as `server.room` estimates them.
        open_trajectories: held open at once.
        closed_trajectories: remembered, so that late spans re-open them.
        spans_per_trajectory: past it only rules about single calls go on.
        in_flight_mib: of requests that are not answered yet; past it senders are asked to try again.
    """

    memory_mib: int = 512
    open_trajectories: int = 50_000
    closed_trajectories: int = 500_000
    spans_per_trajectory: int = 50_000
    in_flight_mib: int = 256


class ServerConfig(Struct, frozen=True, kw_only=True):
    """The configuration of the server.

    Attributes:
        mode: `mirror` or `inline`.
        contracts: files, folders, `pack:NAME`.
        receivers: what comes in.
        next_hop: where spans go on to; needed by `inline`, unused by `mirror`.
        findings: where findings go.
        metrics: where metrics go.
        admin: health and debug pages; null: none.
        state_dir: of what survives a restart; none: in memory only.
        secrets: fingerprints of secrets.
        trajectories: when a trace is over.
        sessions: when a session is over.
        affinity: what the routing before this server keeps together.
        limits: caps.
    """

    mode: Mode = Mode.MIRROR
    contracts: list[str] = []
    receivers: Receivers = Receivers()
    next_hop: NextHopConfig | None = None
    findings: Findings = Findings()
    metrics: Metrics = Metrics()
    admin: Listener | None = Listener(endpoint="127.0.0.1:14133")
    state_dir: str | None = None
    secrets: Secrets = Secrets()
    trajectories: Trajectories = Trajectories()
    sessions: Sessions = Sessions()
    affinity: Affinity = Affinity.SESSION
    limits: Caps = Caps()
