"""Simulated searches whose truth is known: does the statistics of a selection hold what it promises?"""
