"""Authentication of the camera's clients: Basic and Digest on the server's side (RFC 7616, RFC 7617)."""

from __future__ import annotations

import base64
import binascii
import hashlib
import hmac
import secrets
import time
from collections.abc import Callable

from paddock.experiments.ecoli.overhead_camera.overhead_spec import CameraNetwork
from paddock.perception.vision.digest import HASHES, digest_of, parse_parts, parse_scheme

REALM = "overhead camera"
NONCE_LIFE = 60.0  # seconds
ALGORITHMS = ("SHA-256", "MD5")  # offered in this order, as the RFC requires


class Guard:
    """Authenticates requests.

    Args:
        network: user, password and type of authentication.
        nonce_life: seconds for which a nonce is valid.
        clock: returns the time of a monotonic clock [s].
    """

    def __init__(
        self, network: CameraNetwork, *, nonce_life: float = NONCE_LIFE, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self.network, self.nonce_life, self.clock = network, nonce_life, clock
        self._secret = secrets.token_bytes(32)

    def check(self, method: str, uri: str, authorization: str) -> list[str]:
        """Return an empty list if the request is authorised, else the `WWW-Authenticate` headers of the refusal."""
        if not self.network.user:
            return []
        scheme, rest = parse_scheme(authorization)
        if self.network.authentication == "basic":
            return [] if scheme == "basic" and self._knows_basic(rest) else [f'Basic realm="{REALM}", charset="UTF-8"']
        stale = False
        if scheme == "digest":
            parts = parse_parts(rest)
            if self._knows_digest(method, uri, parts):
                if self._is_fresh(parts.get("nonce", "")):
                    return []
                stale = True  # the password is correct: the client need not prompt for another
        return [self._challenge(algorithm, stale) for algorithm in ALGORITHMS]

    def _challenge(self, algorithm: str, stale: bool) -> str:
        ending = ", stale=true" if stale else ""
        return (
            f'Digest realm="{REALM}", qop="auth", algorithm={algorithm}, nonce="{self._make_nonce()}", '
            f"charset=UTF-8{ending}"
        )

    def _knows_basic(self, text: str) -> bool:
        try:
            given = base64.b64decode(text, validate=True)
        except (binascii.Error, ValueError):
            return False
        return hmac.compare_digest(given, f"{self.network.user}:{self.network.password}".encode())

    def _knows_digest(self, method: str, uri: str, parts: dict[str, str]) -> bool:
        algorithm = parts.get("algorithm", "MD5").upper()
        if algorithm not in HASHES or parts.get("qop") != "auth" or parts.get("realm") != REALM:
            return False
        if parts.get("uri") != uri or not self._is_own(parts.get("nonce", "")):
            return False
        expected = digest_of(
            algorithm=algorithm,
            user=self.network.user,
            realm=REALM,
            password=self.network.password,
            method=method,
            uri=uri,
            nonce=parts["nonce"],
            count=parts.get("nc", ""),
            client_nonce=parts.get("cnonce", ""),
            quality="auth",
        )
        same_user = hmac.compare_digest(parts.get("username", "").encode(), self.network.user.encode())
        return hmac.compare_digest(parts.get("response", "").encode(), expected.encode()) and same_user

    # A nonce is its creation time and a signature that only this server can compute.

    def _make_nonce(self) -> str:
        stamp = f"{self.clock():.3f}"
        return f"{stamp}:{self._seal(stamp)}"

    def _is_own(self, nonce: str) -> bool:
        stamp, _, seal = nonce.partition(":")
        return hmac.compare_digest(seal.encode(), self._seal(stamp).encode())

    def _is_fresh(self, nonce: str) -> bool:
        return self.clock() - float(nonce.partition(":")[0]) <= self.nonce_life

    def _seal(self, stamp: str) -> str:
        return hmac.new(self._secret, stamp.encode(), hashlib.sha256).hexdigest()[:32]
