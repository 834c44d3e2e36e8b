import type { Step } from '../target.ts'
import type { IsolationSpec } from './spec.ts'

/**
 * The steps of one order. Setup and teardown run in a separate session; each session of the
 * specification has one session here.
 */
export function stepsOf({ setup, teardown, sessions }: IsolationSpec, order: readonly string[]): readonly Step[] {
  const own = (which: 'setup' | 'teardown'): Step[] =>
    sessions.flatMap((one, at) => one[which].map((sql) => ({ session: at + 1, sql })))
  const all = new Map(
    sessions.flatMap(({ steps }, at) => steps.map(({ name, sql }) => [name, { session: at + 1, sql }] as const)),
  )
  const named = (name: string): Step => {
    const step = all.get(name)
    if (step === undefined) throw new Error(`there is no step ${name}`)
    return step
  }
  return [
    ...setup.map((sql) => ({ session: 0, sql })),
    ...own('setup'),
    ...order.map(named),
    ...own('teardown'),
    ...teardown.map((sql) => ({ session: 0, sql })),
  ]
}
