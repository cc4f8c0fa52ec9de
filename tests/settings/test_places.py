from __future__ import annotations

import logging
import os
from pathlib import Path

import pytest

from penstock.errors import SettingsError
from penstock.settings.places import absolute, is_readable, output_folder, project_root, settings_file


def touch(path: Path) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.touch()
    return path


def test_nearest_settings_file_upward_is_found(tmp_path: Path) -> None:
    touch(tmp_path / "penstock.yaml")
    near = touch(tmp_path / "a" / "penstock.yml")
    deep = tmp_path / "a" / "b" / "c"
    deep.mkdir(parents=True)
    assert settings_file(deep, {"HOME": "/nowhere"}) == near
    assert settings_file(tmp_path, {"HOME": "/nowhere"}) == tmp_path / "penstock.yaml"


def test_folder_that_cannot_be_looked_into_holds_no_settings() -> None:
    start = Path("/") / ("x" * 5000)
    assert settings_file(start, {"HOME": "/nowhere"}) is None
    assert project_root(start) is None


def test_yaml_goes_before_yml_and_a_folder_is_no_file(tmp_path: Path) -> None:
    short = touch(tmp_path / "penstock.yml")
    (tmp_path / "penstock.yaml").mkdir()
    assert settings_file(tmp_path, {"HOME": "/nowhere"}) == short
    (tmp_path / "penstock.yaml").rmdir()
    assert settings_file(tmp_path, {"HOME": "/nowhere"}) == short
    assert settings_file(tmp_path, {"HOME": "/nowhere"}) != touch(tmp_path / "penstock.yaml")


@pytest.mark.parametrize(
    ("platform", "environ", "place"),
    [
        ("linux", {"HOME": "/H"}, ".config/penstock"),
        ("linux", {"HOME": "/H", "XDG_CONFIG_HOME": "/H/xdg"}, "xdg/penstock"),
        ("linux", {"HOME": "/H", "XDG_CONFIG_HOME": "relative"}, ".config/penstock"),
        ("darwin", {"HOME": "/H"}, "Library/Application Support/penstock"),
        ("darwin", {"HOME": "/H", "XDG_CONFIG_HOME": "/H/xdg"}, "Library/Application Support/penstock"),
        ("darwin", {"HOME": "/H"}, ".config/penstock"),
        ("win32", {"HOME": "/H", "APPDATA": "/H/Roaming"}, "Roaming/penstock"),
    ],
)
def test_users_own_file_is_found_where_the_platform_has_it(
    tmp_path: Path, platform: str, environ: dict[str, str], place: str
) -> None:
    home = tmp_path / "home"
    environ = {name: value.replace("/H", str(home)) for name, value in environ.items()}
    start = tmp_path / "elsewhere"
    start.mkdir()
    assert settings_file(start, environ, platform) is None
    file = touch(home / place / "penstock.yaml")
    assert settings_file(start, environ, platform) == file
    near = touch(start / "penstock.yaml")
    assert settings_file(start, environ, platform) == near


@pytest.mark.skipif(os.name == "nt" or os.geteuid() != 0, reason="only root can give a file away")
def test_file_that_another_user_laid_into_a_public_folder_is_not_read(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    tmp_path.chmod(0o1777)
    file = touch(tmp_path / "penstock.yaml")
    assert settings_file(tmp_path, {"HOME": "/nowhere"}) == file
    os.chown(file, 12345, 12345)
    with caplog.at_level(logging.WARNING, "penstock.settings"):
        assert settings_file(tmp_path, {"HOME": "/nowhere"}) is None
    assert caplog.messages == [f"{file} is not read: it is another user's, in a folder that everybody can write to"]
    tmp_path.chmod(0o755)
    assert settings_file(tmp_path, {"HOME": "/nowhere"}) == file


@pytest.mark.parametrize("mark", ["penstock.yaml", "penstock.yml", ".git"])
def test_project_root_is_the_nearest_folder_with_a_mark(tmp_path: Path, mark: str) -> None:
    (tmp_path / ".git").mkdir()
    touch(tmp_path / "a" / mark)
    deep = tmp_path / "a" / "b"
    deep.mkdir()
    assert project_root(deep) == tmp_path / "a"


def test_output_is_kept_at_the_projects_root() -> None:
    assert output_folder(Path("/p"), Path("/p/a"), {"HOME": "/h", "XDG_DATA_HOME": "/d"}) == Path("/p/tool-output")


@pytest.mark.parametrize(
    ("platform", "environ", "folder"),
    [
        ("linux", {"HOME": "/h"}, "/h/.local/share/penstock/tool-output"),
        ("linux", {"HOME": "/h", "XDG_DATA_HOME": "/d"}, "/d/penstock/tool-output"),
        ("linux", {"HOME": "/h", "XDG_DATA_HOME": "d"}, "/h/.local/share/penstock/tool-output"),
        ("darwin", {"HOME": "/h"}, "/h/Library/Application Support/penstock/tool-output"),
        ("darwin", {"HOME": "/h", "XDG_DATA_HOME": "/d"}, "/d/penstock/tool-output"),
        ("win32", {"LOCALAPPDATA": "/local", "APPDATA": "/roaming"}, "/local/penstock/tool-output"),
        ("win32", {"APPDATA": "/roaming"}, "/roaming/penstock/tool-output"),
        ("win32", {"USERPROFILE": "/u"}, "/u/penstock/tool-output"),
    ],
)
def test_output_outside_of_a_project_is_kept_in_the_users_data_folder(
    platform: str, environ: dict[str, str], folder: str
) -> None:
    assert output_folder(None, Path("/s"), environ, platform) == Path(folder)


def test_output_of_a_user_without_home_is_kept_where_the_program_started(monkeypatch: pytest.MonkeyPatch) -> None:
    def nobody() -> Path:
        raise RuntimeError

    monkeypatch.setattr(Path, "home", nobody)
    assert output_folder(None, Path("/s"), {}, "linux") == Path("/s/tool-output")
    assert settings_file(Path("/nowhere"), {}, "linux") is None
    with pytest.raises(SettingsError, match="the home folder is not known"):
        absolute(Path("~/out"), Path("/s"), {}, "environment", "TOOL_OUTPUT_DIR")


@pytest.mark.parametrize(
    ("path", "place"),
    [
        ("out", "/base/out"),
        ("../out", "/out"),
        (".", "/base"),
        ("/else/out", "/else/out"),
        ("~", "/h"),
        ("~/out", "/h/out"),
        ("a/~", "/base/a/~"),
    ],
)
def test_path_begins_at_its_base_or_at_home(path: str, place: str) -> None:
    assert absolute(Path(path), Path("/base"), {"HOME": "/h"}, "call", "store.directory") == Path(place)


def test_home_of_an_unknown_user_is_refused() -> None:
    with pytest.raises(SettingsError) as caught:
        absolute(Path("~no-such-user/out"), Path("/"), {}, "call", "store.directory")
    assert str(caught.value) == (
        "call: store.directory = '~no-such-user/out' is not allowed: a folder; there is no user no-such-user"
    )


def test_anything_but_a_folder_can_be_read(tmp_path: Path) -> None:
    assert is_readable(Path(os.devnull))
    assert is_readable(touch(tmp_path / "file"))
    assert not is_readable(tmp_path)
    assert not is_readable(tmp_path / "missing")
    assert not is_readable(tmp_path / ("x" * 5000))
