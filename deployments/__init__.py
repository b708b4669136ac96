"""The Prefect-aware supervisor: server, deployments, runner; and prefect.yaml, which the core reads as data."""
