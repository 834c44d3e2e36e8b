/** Lines of `docs/reference/guarantees.md` that no canary breaks, and why. */
export const withoutCanary: Readonly<Record<string, string>> = {
  'A replica that loses what it acknowledged starts again': 'no code relies on it but what reads the replication id',
  "A primary that takes another's place has a `master_replid` of its own": 'no code could do otherwise',
  'Slots do not move': 'no run moves a slot',
  'No single record is deleted by hand': 'no run deletes one, and no code could see it',
  '`maxmemory-policy` is `noeviction`':
    'the count of evicted keys guards it a second time: without the look at the policy nothing shows in a history',
  'Consumers agree': 'all consumers of a run are one adapter',
  'An effect does not outlive the retention': 'no run has an effect that long',
  'A `fenced` sink never forgets': 'it is about the sink, not about the layer',
  "The broker's attempts outlast a lease": 'it is about the broker, not about the layer',
  "The layer's user may call INFO": 'it is about the server, not about the layer',
}
