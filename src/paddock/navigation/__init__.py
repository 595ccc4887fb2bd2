"""Ways through maps: cost maps, planners, followers, frontiers, exploration."""
