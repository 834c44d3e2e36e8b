/**
 * Article 000, third pattern as in 000-lua-acquire.ts, with the FAILED record that comments of two of its `except` branches
 * name: an effect that raises leaves FAILED before it raises on.
 *
 * The article lists FAILED as a state of an operation that failed terminally, and no code of it reads one: its script takes
 * whatever is neither COMPLETED nor a STARTED that still counts. So a FAILED key is free at once, where it was held for 5
 * minutes before.
 *
 * Decided here: FAILED is written as COMPLETED is, by a plain SET for a day that asks nobody.
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
