import type { Step } from '../target.ts'
import type { IsolationSpec } from './spec.ts'

/**
 * Text by text, as the specification has them: a session of its own for setup and teardown, and one
 * for each of its sessions.
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
