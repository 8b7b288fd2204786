"""
The one door through which moto is changed. Every patch point is looked up first: when moto moved it, the stand-in ends
at its start with the name, instead of tests that fail for no visible reason.
"""

import inspect

import moto

WANTED_VERSION = "5.2.5"


class PatchPointMoved(Exception):
    pass


def check_version() -> None:
    if moto.__version__ != WANTED_VERSION:
        raise PatchPointMoved(f"moto is {moto.__version__}; the stand-in is written against {WANTED_VERSION}")


def replace(owner, name, new, parameters=None):
    """Puts `new` where `owner.name` was and returns the old one. `parameters`: the names that the old one must take, in order."""
    where = f"{getattr(owner, '__name__', owner)}.{name}"
    if not hasattr(owner, name):
        raise PatchPointMoved(f"moto {moto.__version__} has no {where}")
    old = getattr(owner, name)
    if parameters is not None:
        found = list(inspect.signature(old).parameters)
        if found[: len(parameters)] != list(parameters):
            raise PatchPointMoved(f"{where} takes {found}, not {list(parameters)}")
    setattr(owner, name, new)
    return old


def add(owner, name, new) -> None:
    """A member that moto lacks. When it has come to have it, somebody must look."""
    if hasattr(owner, name):
        raise PatchPointMoved(f"moto {moto.__version__} has {getattr(owner, '__name__', owner)}.{name} of its own now")
    setattr(owner, name, new)


def require(owner, *names) -> None:
    """Members that the stand-in calls and does not replace."""
    for name in names:
        if not hasattr(owner, name):
            raise PatchPointMoved(f"moto {moto.__version__} has no {getattr(owner, '__name__', owner)}.{name}")
