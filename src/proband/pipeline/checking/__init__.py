"""Checking labels: an auditor for anybody's data (`audit`), certificates of our own items (`verify`)."""
