/** What should have happened in place of each kind of violation: the moral of its story. */
const morals: Readonly<Record<string, string>> = {
  duplicate: "The second attempt should have found the key taken, and waited or answered with the first one's receipt.",
  zombie:
    'An attempt whose lease is over should not reach the sink, nor should its key be taken over once it might have.',
  'repeat-after-crash':
    'Nobody could know what had become of the first request: the second attempt should have asked the sink, or parked the message as in doubt.',
  'repeat-after-loss:split-brain':
    'A write that only the replaced primary has is worth nothing: the effect should have waited until the replicas had it.',
  'repeat-after-loss:expiry': 'A record should live for as long as copies of its message may come.',
  'repeat-after-loss': 'With its record gone, the message should have been treated as in doubt, not as new.',
  'repeat-after-error':
    'An error does not say that the effect failed: the layer should have asked the sink, or parked the message as in doubt.',
  'given-up': "The layer should have answered done, refused or park before the broker's attempts ran out.",
  'parked-without-reason': 'A parked message should carry the reason, for the person who resolves it.',
  'never-settled': 'The message should have ended done, refused, or parked with a reason.',
  'parked-for-nothing': 'The layer should have performed the effect and answered done.',
  'fault-free-not-done': 'Without faults, every message should be done.',
  'fault-free-effects': 'Without faults, every key should have exactly one effect.',
  'done-without-effect': "Done should be answered only with the sink's receipt in hand.",
  'refused-without-refusal': 'Refused should be answered only when the sink has refused for good.',
  'different-result': "Every done answer should carry the receipt of the key's only effect.",
  'executed-with-another-payload':
    'The key belongs to the payload that it first came with: another one should be parked.',
  'answered-as-if-the-same':
    'Another payload under the key should be parked, not answered with what the first one got.',
  'retry-goes-on': 'The layer should have taken the key over within the bound that it declares.',
  'named-after-a-message': 'Every key that a message leaves behind should expire.',
  'as-many-as-keys': 'Every key that a message leaves behind should expire.',
}

/** The moral of a kind, or null for a kind that has none yet. */
export const shouldHave = (kind: string): string | null => morals[kind] ?? morals[kind.split(':', 1)[0]!] ?? null
