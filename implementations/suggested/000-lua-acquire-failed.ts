/**
 * Article 000, third pattern as in 000-lua-acquire.ts, with the FAILED record that comments in two
 * of its `except` branches mention: an effect that raises leaves FAILED before it raises on.
 *
 * The article lists FAILED as a state of an operation that failed terminally, but none of its code
 * reads it: its script takes any record that is neither COMPLETED nor a valid STARTED. So a FAILED
 * key is free at once, whereas in 000-lua-acquire.ts it stays held for 5 minutes.
 *
 * Decided here: FAILED is written like COMPLETED, by an unconditional SET for a day.
 */
import { luaAcquire } from '../articles/000-lua-acquire.ts'

const recordSeconds = 24 * 60 * 60

export default luaAcquire({
  id: '000-lua-acquire-failed',
  about: 'The script of 000-lua-acquire, and an effect that throws leaves a FAILED record (article 000, its comments).',
  recoveryBoundMs: 5 * 60 * 1000,
  failed: (client, name, startedAt) =>
    client.set(name, JSON.stringify({ status: 'FAILED', started_at: startedAt }), 'EX', recordSeconds),
})
