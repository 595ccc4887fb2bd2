"""Calls that CoppeliaSim has and this server does not: programs find them, and an error says so."""

from __future__ import annotations

from paddock.coppelia.zmq.caller import RemoteCaller
from paddock.coppelia.zmq.table import CALLS, call
from paddock.core.errors import PaddockError

ABSENT = """
addForce addForceAndTorque addReferencedHandle alignShapeBB broadcastMsg changeEntityColor checkCollisionEx
checkProximitySensorEx checkVisionSensorEx combineRgbImages computeMassAndInertia createForceSensor
createHeightfieldShape createJoint createMeshShape createOctree createPath createPointCloud createPrimitiveShape
createProximitySensor createPureShape createScript createShape createTexture createVisionSensor executeScriptString
exportMesh followPath generateShapeFromPath generateTextShape generateTimeOptimalTrajectory getClosestPosOnPath
getConfigDistance getContactInfo getGraphCurve getLinkDummy getPathInterpolatedConfig getPathLengths
getPathPlanningHandle getPointCloudPoints getPositionOnPath getReferencedHandles getRotationAxis getShapeGeomInfo
getShapeInertia getShapeMesh getShapeTextureId groupShapes importMesh importShape insertPointsIntoPointCloud
interpolateMatrices interpolatePoses launchExecutable loadImage moveToConfig moveToPose quitSimulator readTexture
relocateShapeFrame resamplePath restoreEntityColor rotateAroundAxis ruckigPos ruckigRemove ruckigStep ruckigVel
saveImage saveModel saveScene scaleObject scaleObjects scheduleExecution serialOpen setJointDependency
setJointInterval setLinkDummy setReferencedHandles setShapeBB setShapeMass setShapeMaterial setShapeTexture
setSphericalJointMatrix setVelocity transformBuffer ungroupShape visitTree writeTexture
""".split()  # noqa: SIM905 a list would take a page


def _declare(name: str) -> None:
    @call(name)
    def refuse(caller: RemoteCaller) -> None:
        raise PaddockError(f"sim.{name} is not available here: the world is made by its own file")


for _name in ABSENT:
    assert f"sim.{_name}" not in CALLS
    _declare(_name)
