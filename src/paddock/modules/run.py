"""All modules of a configuration in this process, as threads."""

from __future__ import annotations

import threading
from contextlib import ExitStack
from dataclasses import replace

from paddock.modules.config import ModulesSpec
from paddock.modules.module import Module, start_module


def run_together(spec: ModulesSpec) -> dict[str, Module]:
    """Run until the coordinator's time is over; the modules, to be looked at. An error in one ends all.

    The bus is one of this process, whatever the configuration says.
    """
    spec = replace(spec, bus=f"memory://{id(spec)}")
    errors: list[BaseException] = []
    with ExitStack() as stack:
        modules: dict[str, Module] = {}
        for entry in spec.modules:
            module = modules[entry.name] = start_module(entry.name, spec)
            module.forget()
            stack.callback(module.bus.close)
            stack.callback(module.close)
        threads = [threading.Thread(target=_run, args=(m, modules, errors), name=m.name) for m in modules.values()]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    if errors:
        raise errors[0]
    return modules


def _run(module: Module, modules: dict[str, Module], errors: list[BaseException]) -> None:
    try:
        module.run()
    except BaseException as error:
        errors.append(error)
    finally:
        if errors or module.name == "COORDINATOR":
            for other in modules.values():
                other.ended.set()
