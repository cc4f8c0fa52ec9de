"""Settings: the only part of Penstock that reads the environment and settings files, and only when it is asked to."""

from penstock.settings.settings import Effective, Settings, load_settings

__all__ = ["Effective", "Settings", "load_settings"]
