/** Lines of `docs/reference/guarantees.md` that no canary breaks, and why. */
export const withoutCanary: Readonly<Record<string, string>> = {
  'A replica that loses what it acknowledged starts again': 'only the code that reads the replication ID relies on it',
  'A primary that replaces another has its own `master_replid`': 'no change of the code can break it',
  'Slots do not move': 'no run moves a slot',
  'No single record is deleted by hand': 'no run deletes one, and no code could see it',
  '`maxmemory-policy` is `noeviction`':
    'the count of evicted keys is a second guard, so no history shows a missing check of the policy',
  'Consumers agree': 'all consumers of a run are one adapter',
  'An effect does not outlive the retention': 'no run has an effect that long',
  'A `fenced` sink never forgets': 'it is about the sink, not about the layer',
  "The broker's attempts outlast a lease": 'it is about the broker, not about the layer',
  "The layer's user may call INFO": 'it is about the server, not about the layer',
}
