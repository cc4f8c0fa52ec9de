"""Which hosts are this machine itself."""

from __future__ import annotations

import ipaddress


def is_this_machine(host: str) -> bool:
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"
