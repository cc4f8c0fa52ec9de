"""The indexes of a PostgreSQL database: one schema a project, one connection to each that was asked for."""

from __future__ import annotations

import threading

from penstock.errors import ArgumentError
from penstock.search.contract import Index
from penstock.search.postgres import PostgresIndex, projects_in
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
            if checked_id(project_id) not in self._open:
                names = self.names()
                if project_id not in names:
                    raise ArgumentError("project_id", project_id, those_there(names))
                self._open[project_id] = PostgresIndex(self._url, project_id)
            return self._open[project_id]

    def made(self, project_id: str) -> Index:
        return PostgresIndex(self._url, checked_id(project_id), create=True)

    def close(self) -> None:
        with self._lock:
            for index in self._open.values():
                index.close()
            self._open.clear()
