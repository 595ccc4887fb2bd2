"""E. coli on e-pucks: way-points, odometry, chemotaxis and a camera above them."""
