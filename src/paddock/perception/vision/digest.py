"""HTTP authentication of a client: Basic (RFC 7617) and Digest (RFC 7616)."""

from __future__ import annotations

import base64
import hashlib
import re
import secrets

PART = re.compile(r'(\w+)\s*=\s*(?:"((?:[^"\\]|\\.)*)"|([^\s,"]+))')
HASHES = {"MD5": hashlib.md5, "SHA-256": hashlib.sha256}


def parse_parts(text: str) -> dict[str, str]:
    """Return the `key="value"` parts of a header, with lower-case keys."""
    return {
        key.lower(): re.sub(r"\\(.)", r"\1", quoted) if quoted or not plain else plain
        for key, quoted, plain in PART.findall(text)
    }


def parse_scheme(header: str) -> tuple[str, str]:
    """Return the scheme in lower case, and the rest of a header."""
    scheme, _, rest = header.strip().partition(" ")
    return scheme.lower(), rest.strip()


def compute_response(
    *,
    algorithm: str,
    user: str,
    realm: str,
    password: str,
    method: str,
    uri: str,
    nonce: str,
    count: str = "",
    client_nonce: str = "",
    quality: str = "",
) -> str:
    """Return the response of RFC 7616, 3.4.1; without a quality (`qop`) the response of its predecessors.

    Raises:
        KeyError: the algorithm is neither MD5 nor SHA-256.
    """
    make = HASHES[algorithm.upper()]

    def digest(text: str) -> str:
        return make(text.encode()).hexdigest()

    secret, request = digest(f"{user}:{realm}:{password}"), digest(f"{method}:{uri}")
    if not quality:
        return digest(f"{secret}:{nonce}:{request}")
    return digest(f"{secret}:{nonce}:{count}:{client_nonce}:{quality}:{request}")


def encode_basic(user: str, password: str) -> str:
    """Return the value of a Basic Authorization header."""
    return "Basic " + base64.b64encode(f"{user}:{password}".encode()).decode()


class Credentials:
    """A user's name and password. Stores the last challenge, so that the next request is authenticated directly."""

    def __init__(self, user: str, password: str) -> None:
        self.user, self.password = user, password
        self._challenge: dict[str, str] | None = None
        self._basic = False
        self._count = 0

    def take_challenges(self, headers: list[str]) -> bool:
        """Choose the best of a server's `WWW-Authenticate` headers. Return False if none is supported."""
        digests, basic = [], False
        for header in headers:
            scheme, rest = parse_scheme(header)
            if scheme == "digest":
                parts = parse_parts(rest)
                qualities = [quality.strip() for quality in parts.get("qop", "").split(",")]
                if parts.get("algorithm", "MD5").upper() in HASHES and {"auth", ""} & set(qualities):
                    digests.append(parts)
            basic = basic or scheme == "basic"
        digests.sort(key=lambda parts: parts.get("algorithm", "MD5").upper() == "MD5")  # SHA-256 first
        self._challenge, self._basic, self._count = (digests[0] if digests else None), basic, 0
        return bool(digests) or basic

    def answer(self, method: str, uri: str) -> str | None:
        """Return the Authorization header of a request; None before any challenge."""
        if self._challenge is None:
            return encode_basic(self.user, self.password) if self._basic else None
        parts = self._challenge
        self._count += 1
        algorithm, realm, nonce = parts.get("algorithm", "MD5"), parts.get("realm", ""), parts.get("nonce", "")
        quality = "auth" if "qop" in parts else ""
        count, client_nonce = f"{self._count:08x}", secrets.token_hex(8)
        response = compute_response(
            algorithm=algorithm,
            user=self.user,
            realm=realm,
            password=self.password,
            method=method,
            uri=uri,
            nonce=nonce,
            count=count,
            client_nonce=client_nonce,
            quality=quality,
        )
        text = (
            f'Digest username="{_escape(self.user)}", realm="{_escape(realm)}", nonce="{nonce}", uri="{uri}", '
            f'algorithm={algorithm}, response="{response}"'
        )
        if quality:
            text += f', qop=auth, nc={count}, cnonce="{client_nonce}"'
        return text + (f', opaque="{parts["opaque"]}"' if "opaque" in parts else "")


def _escape(text: str) -> str:
    return text.replace("\\", "\\\\").replace('"', '\\"')
