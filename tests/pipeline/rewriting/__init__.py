"""Tests of query expansion and passage compression."""
