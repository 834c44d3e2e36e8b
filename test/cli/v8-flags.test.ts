import { expect, it } from 'vitest'
import { v8Flags } from './v8-flags.ts'

it('V8 compiles smaller pieces earlier, on the Node of the measurement', () => {
  expect(v8Flags('20.20.0', [])).toEqual([
    '--max-inlined-bytecode-size=150',
    '--max-inlined-bytecode-size-cumulative=300',
    '--interrupt-budget=33000',
    '--always-sparkplug',
    '--no-parallel-scavenge',
  ])
  expect(v8Flags('22.1.0', [])).toEqual([])
})

it('V8 keeps the flags that Node was started with', () => {
  const given = ['--interrupt_budget=400000', '--max-inlined-bytecode-size', '--cpu-prof']
  expect(v8Flags('20.20.0', given)).toEqual([
    '--max-inlined-bytecode-size-cumulative=300',
    '--always-sparkplug',
    '--no-parallel-scavenge',
  ])
})
