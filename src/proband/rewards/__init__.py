"""Certified items as training environments: an endless stream of questions, and a reward that reads replies.

    from proband.rewards import Stream, process_reward

    stream = Stream("kinship", k="2,3", seed=0)
    stream.question(stream[17]), stream.reward(stream[17], "aunt").total

    process_reward(stream[17], "...").share  # of its statements, those that the story tells or entails

`for_reasoning_gym`, `for_trl`, `for_verifiers` and `for_openenv` hand the same to other tools.
"""

from proband.rewards.process import ProcessReward, process_reward
from proband.rewards.stream import Reward, Stream

__all__ = ["ProcessReward", "Reward", "Stream", "process_reward"]
