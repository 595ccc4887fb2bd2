"""Calls about objects: finding, the object tree, adding and removing."""

from __future__ import annotations

import re
from typing import Any

from paddock.bridges.coppelia.calls.table import call
from paddock.bridges.coppelia.calls.values import read_int
from paddock.bridges.coppelia.scene import parameters
from paddock.bridges.coppelia.scene.objects import ALL, SCENE, SCRIPTS, SceneObject
from paddock.bridges.coppelia.scene.paths import find_path, make_object_path
from paddock.bridges.coppelia.scene.scene import CoppeliaScene
from paddock.bridges.coppelia.scene.simulator import SceneCaller
from paddock.core.errors import PaddockError, UnknownName
from paddock.simulation.robots import robot_names

NONE = -1  # the handle of no object
SCRIPT_PATH = re.compile(r"(?P<robot>.+)/script", re.IGNORECASE)
WITHOUT_BASE, CHILDREN_ONLY = 1, 2  # options of `getObjectsInTree`

# ---- finding


def find_object(scene: CoppeliaScene, path: str, start: SceneObject | None = None) -> SceneObject:
    """Return an object by its path or any other name, see `CoppeliaScene.find`; below `start` if it is given."""
    if start is None or path.startswith("/"):
        return scene.find(path.removeprefix("./"))
    found = find_path(scene, path if path.startswith((".", ":")) else f"./{path}", start)
    if found is None:
        raise UnknownName(f"object below {start}", path, [child.alias for child in start.children])
    return found


@call("getObject", "getObjectHandle")
def get_object(caller: SceneCaller, path: str, options: Any = None) -> int:
    given = options if isinstance(options, dict) else {}
    scene = caller.scene
    if "index" in given:
        path = f"{path}[{read_int(given['index'])}]"
    start = scene.get(read_int(given["proxy"])) if "proxy" in given else None
    try:
        if (script := SCRIPT_PATH.fullmatch(path)) is not None and start is None:
            return find_script(find_object(scene, script["robot"]))
        return find_object(scene, path, start).handle
    except PaddockError:
        if given.get("noError"):
            return NONE
        raise


def find_script(item: SceneObject) -> int:
    """Return the handle of the script of a robot or of a part of it."""
    if item.robot is None:
        raise PaddockError(f"{item} has no script: expected a robot or a part of it")
    while item.parent is not None:
        item = item.parent
    return SCRIPTS + item.handle


@call("isHandle", "isHandleValid")
def is_handle(caller: SceneCaller, handle: Any) -> bool:
    known = handle - SCRIPTS if isinstance(handle, int) and handle > SCRIPTS else handle
    return isinstance(known, int | float) and known in caller.scene.objects


@call()
def get_object_alias(caller: SceneCaller, item: SceneObject, options: int = -1) -> str:
    scene = caller.scene
    if options == -1:
        return item.alias
    same = [other for other in scene.walk() if other.alias == item.alias]
    if options == 0:
        siblings = scene.roots if item.parent is None else item.parent.children
        return f"{item.alias}[{[other for other in siblings if other.alias == item.alias].index(item)}]"
    if options in (3, 4):
        return item.alias if options == 3 and len(same) == 1 else f"{item.alias}__{item.handle}__"
    if options == 5 and len(same) == 1:
        return f"/{item.alias}"
    if options in (6, 7, 8, 9):
        return f"/{item.alias}{{{same.index(item)}}}"
    return make_object_path(scene, item)


@call()
def get_object_name(caller: SceneCaller, item: SceneObject) -> str:
    return item.name


@call("setObjectAlias", "setObjectName")
def set_object_alias(caller: SceneCaller, item: SceneObject, alias: str) -> None:
    if not re.fullmatch(r"\w{1,80}", alias):
        raise PaddockError(f"expected a name of letters and digits, got {alias[:80]!r}")
    item.alias = alias


@call("getObjectUid", "getObjectUniqueIdentifier", "getObjectFromUid")
def get_object_uid(caller: SceneCaller, item: SceneObject) -> int:
    """Return the handle of an object, which is also its unique number."""
    return item.handle


@call()
def get_object_type(caller: SceneCaller, item: SceneObject) -> int:
    return item.type


# ---- the tree


@call()
def get_objects_in_tree(caller: SceneCaller, base: int, type: int = ALL, options: int = 0) -> list[int]:
    scene = caller.scene
    if base in (SCENE, NONE):
        found = scene.roots if options & CHILDREN_ONLY else list(scene.walk())
    else:
        top = scene.get(base)
        found = list(top.children if options & CHILDREN_ONLY else top.tree)
        if options & CHILDREN_ONLY and not options & WITHOUT_BASE:
            found.insert(0, top)
        elif options & WITHOUT_BASE and not options & CHILDREN_ONLY:
            found.remove(top)
    return [thing.handle for thing in found if type in (ALL, thing.type)]


@call()
def get_objects(caller: SceneCaller, index: int, type: int) -> int:
    found = caller.scene.of_type(type)
    return found[index].handle if 0 <= index < len(found) else NONE


@call()
def get_object_parent(caller: SceneCaller, item: SceneObject) -> int:
    return NONE if item.parent is None else item.parent.handle


@call()
def set_object_parent(caller: SceneCaller, item: SceneObject, parent: int, in_place: bool = True) -> None:
    caller.scene.set_parent(item, None if parent == NONE else caller.scene.get(parent), in_place=in_place)


@call()
def get_object_child(caller: SceneCaller, item: SceneObject, index: int) -> int:
    return item.children[index].handle if 0 <= index < len(item.children) else NONE


@call("getObjectSel", "getObjectSelection")
def get_object_selection(caller: SceneCaller) -> list[int]:
    chosen = caller.scene.settings.get("selection", [])
    return [handle for handle in chosen if handle in caller.scene.objects]


@call("setObjectSel", "setObjectSelection")
def set_object_selection(caller: SceneCaller, handles: list[int]) -> None:
    caller.scene.settings["selection"] = [caller.scene.get(handle).handle for handle in handles]


# ---- adding and removing


@call()
def create_dummy(caller: SceneCaller, size: float = 0.01, colour: Any = None) -> int:
    return caller.scene.add_dummy().handle


@call("removeObject", "removeModel")
def remove_object(caller: SceneCaller, item: SceneObject, later: bool = False) -> int:
    caller.scene.remove(item)
    return 1


@call()
def remove_objects(caller: SceneCaller, handles: list[int], later: bool = False) -> None:
    for found in [caller.scene.get(handle) for handle in handles]:
        caller.scene.remove(found)


@call()
def copy_paste_objects(caller: SceneCaller, handles: list[int], options: int = 0) -> list[int]:
    return [caller.scene.copy(caller.scene.get(handle)).handle for handle in handles]


def plain_name(path: str) -> str:
    """Return the plain name of a file: `pioneer-p3dx` for `models/robots/mobile/pioneer p3dx.ttm`."""
    file = re.split(r"[/\\]", path)[-1]
    return re.sub(r"[\s_]+", "-", re.sub(r"\.tt[mt]$", "", file, flags=re.IGNORECASE)).lower()


def find_kind(path: str) -> str:
    """Return the shipped robot for a model file: e-puck for `ePuck.ttm` and `e-puck.ttm`."""
    wanted = plain_name(path)
    for kind in robot_names():
        if re.sub(r"\W", "", kind) == re.sub(r"\W", "", wanted):
            return kind
    raise PaddockError(f"unknown model {path[:200]!r}; expected one of {', '.join(robot_names())}")


@call()
def load_model(caller: SceneCaller, path: str) -> int:
    return caller.scene.load_model(find_kind(path)).handle


@call()
def load_scene(caller: SceneCaller, path: str) -> None:
    """Stop and reset the simulation if a scene file is that of the served world; otherwise raise an error."""
    world, wanted = caller.scene.live.world.name, plain_name(path)
    if wanted != world:
        raise PaddockError(f"the served world is {world!r}, not {wanted[:80]!r}: serve that world instead")
    caller.control.stop()


@call()
def close_scene(caller: SceneCaller) -> int:
    caller.control.stop()
    return 1


# ---- parameters of objects


@call()
def get_object_int32_param(caller: SceneCaller, item: SceneObject, number: int) -> int:
    return parameters.get_object_int(caller.scene, item, number)


@call()
def get_object_float_param(caller: SceneCaller, item: SceneObject, number: int) -> float:
    return parameters.get_object_float(caller.scene, item, number)


@call()
def get_object_int32_parameter(caller: SceneCaller, item: SceneObject, number: int) -> tuple[int, int]:
    """Return 1 and the value: two results (before version 4.3)."""
    return 1, get_object_int32_param(caller, item, number)


@call()
def get_object_float_parameter(caller: SceneCaller, item: SceneObject, number: int) -> tuple[int, float]:
    """Return 1 and the value: two results (before version 4.3)."""
    return 1, get_object_float_param(caller, item, number)


@call("setObjectInt32Param", "setObjectInt32Parameter")
def set_object_int32_param(caller: SceneCaller, item: SceneObject, number: int, value: int) -> None:
    parameters.set_object_parameter(caller.scene, item, "int", number, value)


@call("setObjectFloatParam", "setObjectFloatParameter")
def set_object_float_param(caller: SceneCaller, item: SceneObject, number: int, value: float) -> None:
    parameters.set_object_parameter(caller.scene, item, "float", number, value)


@call()
def get_model_property(caller: SceneCaller, item: SceneObject) -> int:
    return parameters.get_model_property(caller.scene, item)


@call()
def set_model_property(caller: SceneCaller, item: SceneObject, value: int) -> None:
    caller.scene.remember(("model", item.handle), value)


@call("getObjectProperty", "getObjectSpecialProperty", "getExplicitHandling")
def get_object_flags(caller: SceneCaller, item: SceneObject) -> int:
    given: int = caller.scene.settings.get(("flags", item.handle), 0)
    return given


@call("setObjectProperty", "setObjectSpecialProperty", "setExplicitHandling")
def set_object_flags(caller: SceneCaller, item: SceneObject, value: int) -> None:
    caller.scene.remember(("flags", item.handle), value)


@call()
def get_object_size_factor(caller: SceneCaller, item: SceneObject) -> float:
    return 1.0


@call("getShapeBB")
def get_shape_bb(caller: SceneCaller, item: SceneObject) -> tuple[list[float], list[float]]:
    x0, y0, z0, x1, y1, z1 = parameters.bounding_box(item)
    centre = [(x0 + x1) / 2, (y0 + y1) / 2, (z0 + z1) / 2]
    return [x1 - x0, y1 - y0, z1 - z0], [*centre, 0.0, 0.0, 0.0, 1.0]


@call("getModelBB")
def get_model_size(caller: SceneCaller, item: SceneObject) -> list[float]:
    return get_shape_bb(caller, item)[0]


@call()
def get_shape_mass(caller: SceneCaller, item: SceneObject) -> float:
    return parameters.get_object_float(caller.scene, item, parameters.MASS)
