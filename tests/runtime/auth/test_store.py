"""Logins are stored completely, readable only by their owner, in the keyring if it works."""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path
from types import ModuleType, SimpleNamespace

import pytest
from mcpgen_runtime.auth import store as store_module
from mcpgen_runtime.auth.login_errors import LoginUnreadable, SeveralLogins
from mcpgen_runtime.auth.store import Store, StoredLogin, canonical, strip_url

URL = "https://example.org/mcp"
LOGIN = StoredLogin(URL, tokens={"access_token": "s3cret"}, expires_at=5.0)
ON_POSIX = pytest.mark.skipif(sys.platform == "win32", reason="0600 has no meaning there")


def test_written_login_is_read_back(store: Store) -> None:
    assert store.read(URL) is None
    store.write(LOGIN)
    assert store.read(URL) == LOGIN
    assert store.find(URL) == LOGIN


@ON_POSIX
def test_only_the_user_can_read_it(store: Store) -> None:
    store.write(LOGIN)
    store.write(LOGIN)
    assert store.folder.stat().st_mode & 0o777 == 0o700
    assert [path.stat().st_mode & 0o777 for path in store.folder.iterdir()] == [0o600]


@pytest.mark.parametrize(
    ("url", "same"),
    [
        ("https://Example.ORG:443/mcp/", URL),
        ("HTTPS://user:pass@example.org/mcp?key=s3cret#part", URL),
        ("http://[::1]:80/", "http://[::1]"),
        ("https://example.org:8443/MCP", "https://example.org:8443/MCP"),
    ],
)
def test_one_server_has_one_spelling_without_secrets(url: str, same: str) -> None:
    assert canonical(url) == same


def test_stored_url_loses_only_its_secrets() -> None:
    assert (
        strip_url("https://user:pass@Example.org/mcp/?key=s3cret#x") == "https://Example.org/mcp/"
    )


def test_invalid_url_has_no_login(store: Store) -> None:
    store.write(LOGIN)
    assert [store.find(url) for url in ("", "stdio", "https://", "http://h:x/")] == [None] * 4


def test_another_path_port_or_scheme_is_another_server(store: Store) -> None:
    store.write(LOGIN)
    rest = ("https://example.org/other", "https://example.org:8443/mcp", "http://example.org/mcp")
    assert [store.find(url) for url in rest] == [None] * 3


def test_account_is_selected_by_name(store: Store) -> None:
    for account in ("work", "home"):
        store.write(StoredLogin(URL, account))
    login = store.find(URL, "work")
    assert login is not None
    assert login.account == "work"
    assert store.find(URL, "none") is None
    with pytest.raises(SeveralLogins, match="name an account: home, work"):
        store.find(URL)
    store.write(LOGIN)
    assert store.find(URL) == LOGIN


def test_a_single_account_need_not_be_named(store: Store) -> None:
    store.write(StoredLogin(URL, "work"))
    login = store.find(URL)
    assert login is not None
    assert login.account == "work"


def test_a_deleted_login_is_gone(store: Store) -> None:
    store.write(LOGIN)
    assert (store.delete(URL), store.delete(URL)) == (True, False)
    assert store.find(URL) is None
    assert store.state(URL) is None


def test_each_write_is_another_state(store: Store) -> None:
    states = set()
    for _ in range(5):
        store.write(LOGIN)
        states.add(store.state(URL))
    assert len(states) == 5


@pytest.mark.parametrize("text", ["", "[]", '{"server": "x"', '{"format": 99}'])
def test_damaged_login_is_reported_without_quoting_it(store: Store, text: str) -> None:
    store.write(LOGIN)
    Path(store.place(URL)).write_text(text)
    with pytest.raises(LoginUnreadable) as caught:
        store.read(URL)
    assert "run: mcpgen login https://example.org/mcp" in str(caught.value)
    assert list(store.names()) == []


def test_failed_write_keeps_the_previous_login(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    store.write(LOGIN)

    def full(_: int) -> None:
        raise OSError("no space left")

    monkeypatch.setattr(store_module.os, "fsync", full)
    with pytest.raises(OSError, match="no space"):
        store.write(StoredLogin(URL))
    assert store.read(URL) == LOGIN
    assert len(list(store.folder.iterdir())) == 1


def test_nothing_secret_is_in_how_a_login_is_shown() -> None:
    login = StoredLogin(URL, tokens={"a": "s3cret"}, client={"client_secret": "s3cret"})
    assert "s3cret" not in repr(login)


# The folder of each system


@pytest.mark.parametrize(
    ("system", "variables", "folder"),
    [
        ("win32", {"LOCALAPPDATA": "/data"}, "/data/mcpgen/logins"),
        ("darwin", {"HOME": "/me"}, "/me/Library/Application Support/mcpgen/logins"),
        ("linux", {"HOME": "/me", "XDG_DATA_HOME": ""}, "/me/.local/share/mcpgen/logins"),
        ("linux", {"XDG_DATA_HOME": "/data"}, "/data/mcpgen/logins"),
        ("linux", {"MCPGEN_LOGINS": "/mine"}, "/mine"),
    ],
)
def test_each_system_has_its_folder(
    monkeypatch: pytest.MonkeyPatch, system: str, variables: dict[str, str], folder: str
) -> None:
    monkeypatch.delenv("MCPGEN_LOGINS")
    for name, value in variables.items():
        monkeypatch.setenv(name, value)
    monkeypatch.setattr(store_module.sys, "platform", system)
    assert Store().folder == Path(folder)


def test_windows_read_is_retried_while_another_process_writes(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    store.write(LOGIN)
    refused = iter([PermissionError, PermissionError])
    read = Path.read_text

    def sometimes(path: Path, *args: object, **named: object) -> str:
        for error in refused:
            raise error
        return read(path, *args, **named)  # type: ignore[arg-type] # as it was called

    monkeypatch.setattr(store_module.sys, "platform", "win32")
    monkeypatch.setattr(Path, "read_text", sometimes)
    assert store.read(URL) == LOGIN


# The keyring


class Keyring(ModuleType):
    """A keyring that works, up to ``most`` characters."""

    def __init__(self, most: int = 100_000) -> None:
        super().__init__("keyring")
        self.kept: dict[tuple[str, str], str] = {}
        self.most = most

    def set_password(self, service: str, name: str, text: str) -> None:
        if len(text) > self.most:
            raise RuntimeError("no room")
        self.kept[service, name] = text

    def get_password(self, service: str, name: str) -> str | None:
        return self.kept.get((service, name))

    def delete_password(self, service: str, name: str) -> None:
        del self.kept[service, name]


@pytest.fixture
def usual(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Store:
    """A store in its default folder, without an environment variable."""
    monkeypatch.delenv("MCPGEN_LOGINS")
    monkeypatch.setattr(store_module, "_user_folder", lambda: tmp_path / "usual")
    return Store()


def files(store: Store) -> str:
    return "".join(path.read_text() for path in store.folder.iterdir())


def test_keyring_holds_the_secrets(usual: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    keyring = Keyring()
    monkeypatch.setitem(sys.modules, "keyring", keyring)
    usual.write(LOGIN)
    assert usual.read(URL) == LOGIN
    assert usual.place(URL) == "keyring"
    assert "s3cret" not in files(usual)
    assert "s3cret" in str(keyring.kept)
    assert list(usual.names()) == [(URL, "")]
    assert usual.delete(URL)
    assert keyring.kept == {}


@pytest.mark.parametrize("most", [0, 40])
def test_a_keyring_without_room_leaves_it_to_the_file(
    usual: Store, monkeypatch: pytest.MonkeyPatch, most: int
) -> None:
    monkeypatch.setitem(sys.modules, "keyring", Keyring(most))
    usual.write(LOGIN)
    assert usual.place(URL) != "keyring"
    assert usual.read(URL) == LOGIN


def test_forgetful_keyring_falls_back_to_the_file(
    usual: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    nothing = SimpleNamespace(set_password=lambda *_: None, get_password=lambda *_: None)
    monkeypatch.setitem(sys.modules, "keyring", nothing)
    usual.write(LOGIN)
    assert usual.read(URL) == LOGIN


def test_missing_keyring_is_reported(usual: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "keyring", Keyring())
    usual.write(LOGIN)
    monkeypatch.setitem(sys.modules, "keyring", None)
    with pytest.raises(LoginUnreadable, match="the keyring that it is in"):
        usual.read(URL)
    usual.write(LOGIN)
    assert usual.read(URL) == LOGIN


def test_named_folder_is_used_without_the_keyring(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    keyring = Keyring()
    monkeypatch.setitem(sys.modules, "keyring", keyring)
    store.write(LOGIN)
    assert keyring.kept == {}
    assert json.loads(files(store))["tokens"] == LOGIN.tokens


def test_tokens_of_a_killed_process_are_removed(store: Store) -> None:
    store.write(LOGIN)
    fresh, old = store.folder / ".a.new", store.folder / ".b.new"
    for file in (fresh, old):
        file.write_text("token")
    os.utime(old, (0, 0))
    store.write(LOGIN)  # as the next login does
    assert (fresh.exists(), old.exists()) == (True, False)
    store.remove_unfinished(-1)  # as `logout --all` does
    assert not fresh.exists()


@ON_POSIX
@pytest.mark.parametrize("kind", ["link", "pipe"])
def test_planted_link_or_pipe_is_not_a_login(store: Store, kind: str, tmp_path: Path) -> None:
    store.write(LOGIN)
    [path] = store.folder.glob("*.json")
    path.rename(tmp_path / "other.json")
    if kind == "link":
        path.symlink_to(tmp_path / "other.json")
    else:
        os.mkfifo(path)
    assert [*store.names()] == []
    with pytest.raises(LoginUnreadable):
        store.read(LOGIN.server, LOGIN.account)
