import { execFileSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'

const program = fileURLToPath(new URL('../../bin/onceproof.mjs', import.meta.url))

interface V8Flags {
  v8Flags(nodeVersion: string, nodeArguments: readonly string[]): string[]
}

const { v8Flags }: V8Flags = await import(new URL('../../bin/v8-flags.mjs', import.meta.url).href)

describe('how V8 compiles for the command line', () => {
  it('is in smaller pieces, and sooner, on the Node that this was measured with', () => {
    expect(v8Flags('20.20.0', [])).toEqual([
      '--max-inlined-bytecode-size=150',
      '--max-inlined-bytecode-size-cumulative=300',
      '--interrupt-budget=33000',
    ])
    expect(v8Flags('22.1.0', [])).toEqual([])
  })

  it('is what Node was started with, where it was told', () => {
    const given = ['--interrupt_budget=400000', '--max-inlined-bytecode-size', '--cpu-prof']
    expect(v8Flags('20.20.0', given)).toEqual(['--max-inlined-bytecode-size-cumulative=300'])
  })

  it('is told to V8 before anything else is loaded', () => {
    const tells = "import v8 from 'node:v8'; v8.setFlagsFromString = (flag) => console.log(flag)"
    const args = ['--import', `data:text/javascript,${encodeURIComponent(tells)}`, program, '--version']
    const lines = execFileSync(process.execPath, args, { encoding: 'utf8' }).trim().split('\n')
    expect(lines.slice(0, -1)).toEqual(v8Flags(process.versions.node, []))
  })
})
