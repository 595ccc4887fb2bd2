"""The E. coli walk: reaction networks, run and tumble, way-point robots, an overhead camera, and the experiments."""
