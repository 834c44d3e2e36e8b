/**
 * Checks expiries after a sample: every remaining key with a lifetime must exist until its deadline
 * and be gone a millisecond later. The samples of most campaigns end long before the deadlines. The
 * keys of the real server are deleted when they expire by the clock of the run (`lifetimes.ts`),
 * after their deadlines were compared.
 */
import { quote } from 'redis-sim/compare'
import type { Model } from '../model/model.ts'
import type { RealClient } from '../types.ts'
import type { Lifetimes } from './lifetimes.ts'
import { ask } from './real-redis.ts'
import type { CrosscheckDifference } from './replayed.ts'

/** A client number that no run uses. */
const inspector = -2

/**
 * Returns the first difference; null if all are equal. `lastMs`: when the last command was
 * executed, in the run's time.
 */
export async function expiries(
  model: Model,
  control: RealClient,
  lifetimes: Lifetimes,
  lastMs: number,
): Promise<CrosscheckDifference | null> {
  model.connect(inspector)
  let beforeMs = lastMs
  for (const { index, key, deadline } of mortal(model)) {
    for (const nowMs of [Math.max(deadline, model.nowMs), Math.max(deadline + 1, model.nowMs)]) {
      model.nowUs = nowMs * 1000
      const brought = await lifetimes.bring(beforeMs)
      if (brought === 'too-short' || brought === 'stood-still') return null
      if (brought !== null) return { ...brought, command: `lifetime of ${quote(key)} after the run` }
      beforeMs = nowMs
      const args = ['EXISTS', key]
      const select = ['SELECT', String(index)]
      model.execute(inspector, select)
      const response = model.execute(inspector, args)
      const [, real] = await ask(control, [select, args])
      if ('none' in response) return null
      const when = nowMs > deadline ? 'after its deadline' : 'until its deadline'
      if (response.reply !== real)
        return { command: `EXISTS ${quote(key)} ${when}`, real: real!, model: response.reply }
    }
  }
  return null
}

/** The keys with a lifetime, the earliest deadline first. */
function mortal({ server: { keyspace } }: Model) {
  return keyspace
    .used()
    .flatMap(({ index, entries }) =>
      [...entries].flatMap(([key, { expireAtMs }]) =>
        expireAtMs === -1 ? [] : [{ index, key, deadline: Number(expireAtMs) }],
      ),
    )
    .sort((a, b) => a.deadline - b.deadline)
}
