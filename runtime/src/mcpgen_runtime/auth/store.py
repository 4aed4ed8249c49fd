"""Storage of logins: the system's keyring, or a file that only the user can read.

There is one file per server and account. If the keyring has the login, the file only says
so. Files are replaced atomically, so their state shows whether a login changed.
"""

from __future__ import annotations

import contextlib
import errno
import hashlib
import json
import os
import stat
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import asdict, dataclass, field, fields
from pathlib import Path
from typing import Any, Literal, TypeAlias, TypeVar, cast
from urllib.parse import urlsplit

from . import system_keyring
from .login_errors import LoginUnreadable, SeveralLogins

_PORTS = {"http": 80, "https": 443}
_FORMAT = 1
_ATTEMPTS = 50
_NEW = ".new"
_SECRET_TOKENS = ("access_token", "refresh_token", "id_token")
_SECRET_OF_CLIENT = ("client_secret", "registration_access_token")
_UNFINISHED_AFTER = 60.0
"""Age in seconds from which a temporary file counts as abandoned."""

Grant: TypeAlias = Literal["authorization_code", "client_credentials", "private_key_jwt"]
State: TypeAlias = tuple[int, int, int]
_T = TypeVar("_T")


@dataclass(frozen=True)
class StoredLogin:
    """A stored login for a server. ``tokens`` and ``client`` have OAuth's property names.

    Attributes:
        metadata: The metadata of the authorization server.
        resource: The metadata of the protected resource.
        expires_at: Unix time of the expiry in seconds, or None.
    """

    server: str
    account: str = ""
    grant: Grant = "authorization_code"
    tokens: Mapping[str, Any] = field(default_factory=dict[str, Any], repr=False)
    expires_at: float | None = None
    client: Mapping[str, Any] = field(default_factory=dict[str, Any], repr=False)
    metadata: Mapping[str, Any] | None = field(default=None, repr=False)
    resource: Mapping[str, Any] | None = field(default=None, repr=False)
    redirect: str = ""
    issuer: str = ""
    key_file: str = ""
    algorithm: str = ""

    @property
    def scope(self) -> str:
        """The granted scope."""
        return str(self.tokens.get("scope") or "")

    @property
    def secrets(self) -> list[str]:
        """The tokens and the client's own secrets."""
        secret = (*_SECRET_TOKENS, *_SECRET_OF_CLIENT)
        both = {**self.tokens, **self.client}
        return [str(both[name]) for name in secret if both.get(name)]


class Store:
    """The logins of this user. ``MCPGEN_LOGINS`` overrides the folder."""

    def __init__(self, folder: Path | None = None) -> None:
        named = os.environ.get("MCPGEN_LOGINS", "")
        self.folder = folder or (Path(named) if named else _user_folder())
        self._uses_keyring = folder is None and not named

    def find(self, url: str, account: str | None = None) -> StoredLogin | None:
        """Return the login for a server, or None.

        Without an account it is the only one, or the one without a name.

        Raises:
            SeveralLogins: There are several, and none is without a name.
            LoginUnreadable: The login can't be read.
        """
        try:
            server = canonical(url)
        except ValueError:
            return None
        if account is not None:
            return self.read(server, account)
        accounts = sorted(of for at, of in self.names() if at == server)
        if not accounts or "" in accounts or len(accounts) == 1:
            return self.read(server, "" if "" in accounts else accounts[0]) if accounts else None
        raise SeveralLogins(server, accounts)

    def names(self) -> Iterator[tuple[str, str]]:
        """Yield the server and the account of each login."""
        try:
            paths = sorted(self.folder.glob("*.json"))
        except OSError:
            return
        for path in paths:
            with contextlib.suppress(OSError, ValueError):  # a damaged file
                about = _document(path) or {}
                yield canonical(str(about.get("server"))), str(about.get("account", ""))

    def read(self, server: str, account: str = "") -> StoredLogin | None:
        """Return a login, or None.

        Raises:
            LoginUnreadable: It can't be read.
        """
        path = self._path(server, account)
        try:
            about = _document(path)
        except (OSError, ValueError) as error:
            raise LoginUnreadable(server, account, _reason(error)) from None
        if about is None:
            return None
        if about.get("kept") == "keyring":
            text = system_keyring.get(_name(server, account))
            about = _object(text) if text else None
        if about is None:
            reason = "the keyring that it is in does not give it"
            raise LoginUnreadable(server, account, reason)
        if about.get("format") != _FORMAT:
            reason = "another version of mcpgen wrote it"
            raise LoginUnreadable(server, account, reason)
        field_names = {field.name for field in fields(StoredLogin)}
        return StoredLogin(**{key: about[key] for key in field_names & about.keys()})

    def write(self, login: StoredLogin) -> None:
        """Replace a login atomically."""
        path = self._path(login.server, login.account)
        name = _name(login.server, login.account)
        about: dict[str, Any] = {"format": _FORMAT, **asdict(login)}
        if self._uses_keyring and system_keyring.put(name, json.dumps(about)):
            about = {
                "server": login.server,
                "account": login.account,
                "kept": "keyring",
            }
        elif self.place(login.server, login.account) == "keyring":
            system_keyring.drop(name)
        self.folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        self.remove_unfinished()
        _write_whole(path, json.dumps(about))

    def delete(self, server: str, account: str = "") -> bool:
        """Delete a login and return whether it existed."""
        path = self._path(server, account)
        if self.place(server, account) == "keyring":
            system_keyring.drop(_name(server, account))
        try:
            _patiently(path.unlink)
        except FileNotFoundError:
            return False
        return True

    def remove_unfinished(self, age: float = _UNFINISHED_AFTER) -> None:
        """Remove files that a killed process left, if they are old enough."""
        for path in self.folder.glob(f".*{_NEW}"):
            with contextlib.suppress(OSError):
                if path.lstat().st_mtime <= time.time() - age:
                    path.unlink()

    def place(self, server: str, account: str = "") -> str:
        """Return where a login is stored: ``keyring``, or the path of its file."""
        path = self._path(server, account)
        with contextlib.suppress(OSError, ValueError):
            if (_document(path) or {}).get("kept") == "keyring":
                return "keyring"
        return str(path)

    def state(self, server: str, account: str = "") -> State | None:
        """Return a value that changes with each write, or None without a login."""
        try:
            status = self._path(server, account).stat()
        except OSError:
            return None
        return status.st_mtime_ns, status.st_ino, status.st_size

    def lock(self, server: str, account: str = "") -> Path:
        """Return the file to lock while a login is renewed."""
        return self._path(server, account).with_suffix(".lock")

    def _path(self, server: str, account: str) -> Path:
        named = hashlib.sha256(_name(server, account).encode()).hexdigest()
        return self.folder / f"{named[:32]}.json"


def strip_url(url: str) -> str:
    """Return a URL without user, query and fragment."""
    parts = urlsplit(url)
    host = parts.netloc.rpartition("@")[2]
    return f"{parts.scheme.lower()}://{host}{parts.path}"


def canonical(url: str) -> str:
    """Normalize a URL, without user, query and fragment.

    Raises:
        ValueError: It isn't a URL.
    """
    parts = urlsplit(url)
    scheme, host = parts.scheme.lower(), parts.hostname or ""
    if scheme not in _PORTS or not host:
        raise ValueError("no address of a server")
    host = f"[{host}]" if ":" in host else host
    port = f":{parts.port}" if parts.port not in (None, _PORTS[scheme]) else ""
    return f"{scheme}://{host}{port}{parts.path.rstrip('/')}"


def _name(server: str, account: str) -> str:
    return f"{canonical(server)} {account}".strip()


def _user_folder() -> Path:
    if sys.platform == "win32":
        start = os.environ.get("LOCALAPPDATA") or "~\\AppData\\Local"
    elif sys.platform == "darwin":
        start = "~/Library/Application Support"
    else:
        start = os.environ.get("XDG_DATA_HOME") or "~/.local/share"
    try:
        return Path(start).expanduser() / "mcpgen" / "logins"
    except RuntimeError:  # without a home folder no login can be stored
        return Path(os.devnull) / "mcpgen" / "logins"


def _document(path: Path) -> dict[str, Any] | None:
    try:
        return _object(_patiently(lambda: _text_of(path)))
    except (FileNotFoundError, NotADirectoryError):
        return None


def _text_of(path: Path) -> str:
    """Read a file. Symlinks and pipes, which others may have planted, are rejected."""
    flags = (getattr(os, name, 0) for name in ("O_NOFOLLOW", "O_NONBLOCK"))
    descriptor = os.open(path, os.O_RDONLY | sum(flags))
    with os.fdopen(descriptor, encoding="utf-8") as file:
        if not stat.S_ISREG(os.fstat(descriptor).st_mode):
            raise OSError(errno.EINVAL, "not an ordinary file")
        return file.read()


def _object(text: str) -> dict[str, Any]:
    document: object = json.loads(text)
    if not isinstance(document, dict):
        raise ValueError("no JSON object")
    return cast("dict[str, Any]", document)


def _reason(error: Exception) -> str:
    # The text of a JSON error quotes the file.
    return (error.strerror if isinstance(error, OSError) else "") or "it is damaged"


def _write_whole(path: Path, text: str) -> None:
    # mkstemp creates the file with mode 0600.
    descriptor, name = tempfile.mkstemp(prefix=".", suffix=_NEW, dir=path.parent)
    fresh = Path(name)
    try:
        with os.fdopen(descriptor, "w", encoding="utf-8") as file:
            file.write(text)
            file.flush()
            os.fsync(descriptor)
        _patiently(lambda: fresh.replace(path))
    except BaseException:
        with contextlib.suppress(OSError):
            fresh.unlink()
        raise


def _patiently(step: Callable[[], _T]) -> _T:
    """Retry if Windows denies access because another process has the file open."""
    for _ in range(_ATTEMPTS if sys.platform == "win32" else 0):
        try:
            return step()
        except PermissionError:
            time.sleep(0.01)
    return step()
