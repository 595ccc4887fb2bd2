"""Calls of CoppeliaSim that are not supported. They are declared, so that a call returns a clear error."""

from __future__ import annotations

from paddock.coppelia.zmq.caller import RemoteCaller
from paddock.coppelia.zmq.table import CALLS, call
from paddock.core.errors import PaddockError

ABSENT = """
addForce addForceAndTorque addReferencedHandle addScript alignShapeBB associateScriptWithObject broadcastMsg
changeEntityColor checkCollisionEx checkOctreePointOccupancy checkProximitySensorEx checkProximitySensorEx2
checkVisionSensorEx combineRgbImages computeMassAndInertia convexDecompose createForceSensor createHeightfieldShape
createJoint createMeshShape createOctree createPath createPointCloud createPrimitiveShape createProximitySensor
createPureShape createScript createShape createTexture createVisionSensor destroyGraphCurve
duplicateGraphCurveToStatic executeScriptString exportMesh followPath generateShapeFromPath generateTextShape
generateTimeOptimalTrajectory getAlternateConfigs getClosestPosOnPath getConfigDistance getContactInfo
getDecimatedMesh getEngineBoolParam getEngineFloatParam getEngineInt32Param getExtensionString getGenesisEvents
getGraphCurve getGraphInfo getJointDependency getLinkDummy getObjectFloatArrayParam getObjectStringParam
getOctreeVoxels getPage getPathInterpolatedConfig getPathLengths getPathPlanningHandle getPersistentDataTags
getPluginInfo getPluginName getPointCloudOptions getPointCloudPoints getPositionOnPath getQHull getReferencedHandles
getRotationAxis getScriptInt32Param getScriptStringParam getShapeGeomInfo getShapeInertia getShapeMesh
getShapeTextureId getShapeViz getTextureId groupShapes handleDynamics handleJointMotion importMesh importShape
initScript insertObjectIntoOctree insertObjectIntoPointCloud insertPointsIntoPointCloud insertVoxelsIntoOctree
interpolateMatrices interpolatePoses intersectPointsWithPointCloud isDynamicallyEnabled launchExecutable loadImage
moveToConfig moveToPose persistentDataRead persistentDataWrite quitSimulator readTexture relocateShapeFrame
removePointsFromPointCloud removeReferencedObjects removeScript removeVoxelsFromOctree resamplePath
restoreEntityColor rotateAroundAxis ruckigPos ruckigRemove ruckigStep ruckigVel saveImage saveModel saveScene
scaleObject scaleObjects scheduleExecution serialCheck serialClose serialOpen serialRead serialSend
setEngineBoolParam setEngineFloatParam setEngineInt32Param setJointDependency setJointInterval setLinkDummy
setReferencedHandles setScriptInt32Param setScriptStringParam setShapeBB setShapeMass setShapeMaterial
setShapeTexture setSphericalJointMatrix setVelocity ungroupShape visitTree writeTexture
""".split()  # noqa: SIM905 a list would take a page
SHAPES = ("createHeightfieldShape", "createMeshShape", "createPrimitiveShape", "createPureShape", "createShape")


def _declare(name: str) -> None:
    @call(name)
    def refuse(caller: RemoteCaller) -> None:
        if name in SHAPES:
            raise PaddockError(f"sim.{name} is not supported: define obstacles in the world file; a marker is a dummy")
        raise PaddockError(f"sim.{name} is not supported: the world is defined by its file")


for _name in ABSENT:
    assert f"sim.{_name}" not in CALLS
    _declare(_name)
