"""What is known of English words, for every suite: WordNet, kinds of things, word senses, inflection."""
