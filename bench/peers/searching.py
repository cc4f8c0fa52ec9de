"""Runs semble inside its own environment, on words alone. Knows nothing of Penstock.

semble blends BM25 with a model's vectors, and its model is a download. Here a constant stands in the model's place and
weighs nothing: what is left are its chunks, its BM25 and its ranking of code.

A job comes as JSON on stdin: `root`, `queries`, `most`. The answer is a line of JSON: for each query the best chunks,
each as its path, its first and its last line.
"""

import json
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from semble.index import index
from semble.types import ContentType


class NoModel:
    dim = 1

    def encode(self, texts: Sequence[str], **_: object) -> Any:
        return np.ones((len(texts), self.dim), dtype=np.float32)


def main() -> None:
    job = json.load(sys.stdin)
    answers, sys.stdout = sys.stdout, sys.stderr
    built = index._build(Path(job["root"]), NoModel(), "none", (ContentType.CODE,), False)
    found = [built.search(query, top_k=job["most"], alpha=0.0) for query in job["queries"]]
    chunks = [[(one.chunk.file_path, one.chunk.start_line, one.chunk.end_line) for one in best] for best in found]
    print(json.dumps(chunks), file=answers)


if __name__ == "__main__":
    main()
