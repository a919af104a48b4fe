"""Certified items as training environments: an endless stream of questions, and a reward that reads replies.

    from proband.rewards import Stream, process_reward

    stream = Stream("kinship", k="2,3", seed=0)
    stream.question(stream[17]), stream.reward(stream[17], "aunt").total
    process_reward(stream[17], "...")  # the share of its statements that lead to the answer

`for_reasoning_gym`, `for_trl`, `for_verifiers` and `for_openenv` hand the same to other tools.
"""

from proband.rewards.stream import Reward, Stream, process_reward

__all__ = ["Reward", "Stream", "process_reward"]
