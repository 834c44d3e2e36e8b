import { expect, it } from 'vitest'
import { handWrittenScripts } from '../../fidelity/lua/scripts.ts'
import { run } from './run.ts'

it('every script returns the same reply in any order of execution, because none leaves state behind', () => {
  const forward = handWrittenScripts.map(({ body, keys, argv }) => run(body, keys, argv))
  const backward = [...handWrittenScripts].reverse().map(({ body, keys, argv }) => run(body, keys, argv))
  expect(backward.reverse()).toEqual(forward)
})
