"""The indexes of a PostgreSQL database: one schema a project, one connection to each that was asked for."""

from __future__ import annotations

import threading

from penstock.errors import ArgumentError
from penstock.search.contract import Index
from penstock.search.postgres import PostgresIndex, forgotten, name_in_list, projects_in
from penstock.search.projects import checked_id, those_there


class SharedProjects:
    """Safe for threads."""

    def __init__(self, url: str) -> None:
        self._url = url
        self._lock = threading.Lock()
        self._open: dict[str, PostgresIndex] = {}

    def names(self) -> list[str]:
        return projects_in(self._url)

    def opened(self, project_id: str) -> Index:
        with self._lock:
            index = self._open.get(checked_id(project_id))
        if index is not None and index.is_there():  # asked without the lock, as an answer may take its time
            return index
        with self._lock:
            if self._open.get(project_id) is index:
                self._shut(project_id)
            if project_id not in self._open:
                names = self.names()
                if name_in_list(project_id) not in names:
                    raise ArgumentError("project_id", project_id, those_there(names))
                self._open[project_id] = PostgresIndex(self._url, project_id)
            return self._open[project_id]

    def made(self, project_id: str) -> Index:
        return PostgresIndex(self._url, checked_id(project_id), create=True)

    def forget(self, project_id: str) -> bool:
        with self._lock:
            self._shut(checked_id(project_id))
        return forgotten(self._url, project_id)

    def _shut(self, project_id: str) -> None:
        if project_id in self._open:
            self._open.pop(project_id).close()

    def close(self) -> None:
        with self._lock:
            for index in self._open.values():
                index.close()
            self._open.clear()
