"""What people say in HEARTBEAT.md of when things are to be done, in their own words."""
