"""A small specimen of each kind of content. The name is the kind, with what it is an example of behind a colon."""

from __future__ import annotations

from typing import Final

from core.reduce.log_materials import LOGS
from core.reduce.page_materials import SPECIMENS
from core.reduce.place_materials import PLACES
from core.reduce.record_materials import RECORDS

MATERIALS: Final[dict[str, str]] = {
    **LOGS,
    **PLACES,
    **RECORDS,
    **SPECIMENS,
    "prose:letter": "The valve is opened in the morning. Nobody minds the noise.\n\nIn the evening it is shut.\n" * 30,
}
