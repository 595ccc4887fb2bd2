"""Evolution: strategies that search for good controllers, tasks that tell how good they are, and imitation."""
