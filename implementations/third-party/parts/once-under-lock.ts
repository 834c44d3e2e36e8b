/**
 * Wraps a lock library: under the lock, check the mark, perform the effect, set the mark. The
 * adapter adds the mark, a plain SET for the retention, because lock libraries only promise mutual
 * exclusion.
 */
import type { CreateContext, Handler } from '../../../src/contract/api/implementation.ts'
import type { EffectResult } from '../../../src/contract/api/sink.ts'
import { answeringRefusals } from './answering-refusals.ts'

/**
 * Runs `work` under the key's lock. `work` calls `check` between steps; `check` throws if the lock
 * is lost.
 */
export type UnderLock = <T>(key: string, work: (check: () => void) => Promise<T>) => Promise<T>

/** Two commands, for any client that the library takes. */
export interface Marks {
  get(name: string): Promise<string | null>
  set(name: string, value: string, expiryMs: number): Promise<unknown>
}

export function onceUnderLock(
  underLock: UnderLock,
  marks: Marks,
  { sink, retentionMs }: Pick<CreateContext, 'sink' | 'retentionMs'>,
): Handler['handle'] {
  return answeringRefusals(({ key, payload }) =>
    underLock(key, async (check) => {
      const mark = await marks.get(`done:${key}`)
      if (mark !== null) return (JSON.parse(mark) as { result: EffectResult }).result
      check()
      const result = await sink.perform({ key, payload })
      await marks.set(`done:${key}`, JSON.stringify({ result }), retentionMs)
      return result
    }),
  )
}
