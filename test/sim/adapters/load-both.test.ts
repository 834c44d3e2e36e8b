import type { VirtualProcess } from 'virtual-node/runtime'
import { within } from 'virtual-node/runtime'
import { describe, expect, it } from 'vitest'
import type { Implementation } from '../../../src/contract/api/implementation.ts'
import { bothVersions } from '../../../src/sim/adapters/load-both.ts'
import { type LoadedImplementation, loadImplementation } from '../../../src/sim/adapters/load-implementation.ts'
import { ReadableFiles } from '../../../src/sim/adapters/loader.ts'
import { AdapterLab, giving } from './adapter-lab.ts'

const lab = new AdapterLab()

/** A layer in the folder of that name. Its processes get its own version. */
function version(id: string, more: Partial<LoadedImplementation> = {}): LoadedImplementation {
  const implementation: Implementation = {
    id,
    create: () => ({ handle: async () => ({ status: 'retry', reason: '' }) }),
  }
  const files = new ReadableFiles(`/nowhere/${id}/layer.ts`)
  return {
    implementation,
    path: `/nowhere/${id}/layer.ts`,
    instantiate: (name) => ({ ...implementation, about: `${id} in ${name}` }),
    takeIn: () => null,
    scripts: [`return '${id}'`],
    digest: '01234567',
    files,
    ...more,
  }
}

const both = (from: Partial<LoadedImplementation> = {}, next: Partial<LoadedImplementation> = {}) =>
  bothVersions('a with-next b', version('old', from), version('new', next))

describe('two loaded versions', () => {
  it('give each process its own modules and files', () => {
    const upgrade = both()
    const seen = ['operator', 'consumer-1', 'consumer-2', 'consumer-1.2'].map((name) => {
      const process = { name } as VirtualProcess
      const { about } = upgrade.instantiate(name, false) as Implementation
      return `${about}: ${within(process, () => upgrade.files.place('/app/key.txt').real)}`
    })
    expect(seen).toEqual([
      'old in operator: /nowhere/old/key.txt',
      'old in consumer-1: /nowhere/old/key.txt',
      'new in consumer-2: /nowhere/new/key.txt',
      'new in consumer-1.2: /nowhere/new/key.txt',
    ])
    expect(upgrade.scripts).toEqual(["return 'old'", "return 'new'"])
    expect(upgrade.implementation.id).toBe('old with-next new')
  })

  it('are expected to break if either is', () => {
    const broken = version('new', {})
    const expected = { ...broken.implementation, expect: 'broken' as const }
    expect(both().implementation).not.toHaveProperty('expect')
    expect(both({}, { implementation: expected }).implementation).toMatchObject({ expect: 'broken' })
  })

  it('take in late modules of either', async () => {
    const taken: string[] = []
    const late = (name: string) => ({ takeIn: async () => void taken.push(name) })
    expect(both().takeIn()).toBeNull()
    await both(late('old'), late('new')).takeIn()
    await both({}, late('new again')).takeIn()
    expect(taken).toEqual(['old', 'new', 'new again'])
  })

  it('report what each read in its own project during loading, even with equal names', async () => {
    const reading = "readFileSync(new URL('./script.lua', import.meta.url), 'utf8')"
    const load = (folder: string, script: string) =>
      loadImplementation(
        lab.adapter(folder, {
          'layer.ts': giving('script', `import { readFileSync } from 'node:fs'\nconst script = ${reading}`),
          'package.json': '{}',
          'script.lua': `return ${script}`,
        }),
      )
    const reported = async (from: string, next: string) => [
      ...bothVersions('a with-next b', await load(`v1-${from}`, from), await load(`v2-${next}`, next)).files.loaded,
    ]
    const name = 'readFile /app/script.lua'
    const one = await reported('1', '2')
    expect(one.map(([what]) => what)).toEqual([`from:${name}`, `next:${name}`])
    const other = await reported('3', '2')
    expect(other.map(([what]) => what)).toEqual([`from:${name}`, `next:${name}`])
    expect(other[0]).not.toEqual(one[0])
    expect(other[1]).toEqual(one[1])
    expect((await reported('2', '2')).map(([what]) => what)).toEqual([name])
  })

  it('must both be programs, or neither', () => {
    const elsewhere = { elsewhere: true } as const
    expect(both(elsewhere, elsewhere)).toMatchObject({ elsewhere: true })
    expect(() => both({}, elsewhere)).toThrow('a with-next b: one run cannot play a program and a module')
  })
})
