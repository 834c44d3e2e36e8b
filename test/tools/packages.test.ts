import fs from 'node:fs'
import { createRequire } from 'node:module'
import { describe, expect, it } from 'vitest'
import { Lab } from '../../packages/virtual-node/test/lab.ts'
import { listFile, notInNode, outcomeOf, readList, textOf } from '../../tools/packages/list.ts'
import { AdapterLab, giving } from '../sim/adapters/adapter-lab.ts'

const require = createRequire(import.meta.url)
const text = fs.readFileSync(listFile, 'utf8')
const list = readList(text)

/** The reasons that make a run unknown after a process evaluates `asked`. */
async function unknownBy(asked: string): Promise<readonly string[]> {
  const lab = new Lab()
  const expression = asked.startsWith('/') ? `require('node:fs').existsSync(${JSON.stringify(asked)})` : asked
  lab.start(() => new Function('require', `return ${expression}`)(require))
  await lab.run()
  expect(lab.deaths).toEqual([])
  return lab.unsupportedThings
}

describe('the list of packages', () => {
  it('is sorted, and has the most used packages of the registry and those for queues', () => {
    expect(textOf(list)).toBe(text)
    expect(list.length).toBeGreaterThanOrEqual(340)
    const names = list.map(({ name }) => name.replace(/@[^@]+$/, ''))
    expect(new Set(names).size).toBe(names.length)
    expect(names).toEqual(expect.arrayContaining(['lodash', 'semver', 'react-dom', 'bull', 'bullmq', 'bee-queue']))
  })

  it('lists every package that real Node loads as loadable in a process, except for native addons', () => {
    const principles = /^refused: the native addon [\w.-]+ of [\w@/-]+$/
    const others = list.filter(({ outcome }) => outcome !== 'loads' && outcome !== notInNode)
    expect(others.filter(({ outcome }) => !principles.test(outcome))).toEqual([])
  })

  for (const asked of new Set(list.flatMap(({ probed }) => probed)))
    it(`keeps a run known if a process only reads ${asked}`, async () => {
      expect(await unknownBy(asked)).toEqual([])
    })

  it('reports a package that uses a refused feature', async () => {
    expect(await unknownBy('require("node:v8").promiseHooks')).toEqual([])
    const refused = await unknownBy('process.report.writeReport.bind(null)')
    expect(refused).toEqual([])
    expect(outcomeOf({ error: null, refused: ['fs.open (a/b.js:1)'], probed: [] }, true)).toBe(
      'unknown: fs.open (a/b.js:1)',
    )
    const error = 'layer.mjs: loading it needs an unsupported feature (fs.open); use an alternative'
    expect(outcomeOf({ error, refused: [], probed: [] }, true)).toBe('refused: fs.open')
    expect(outcomeOf({ error, refused: [], probed: [] }, false)).toBe(notInNode)
  })
})

describe('a package in a layer', () => {
  const lab = new AdapterLab()
  const probing = `exports.looks = () => [typeof MessageChannel, typeof require('v8').promiseHooks.onInit]
exports.uses = () => {
  try { new MessageChannel() } catch { return 'goes on' }
}`
  const layer = (expression: string) => ({
    'layer.ts': giving(expression, "import { looks, uses } from 'probing'"),
    'node_modules/probing/package.json': JSON.stringify({ name: 'probing', version: '1.2.3' }),
    'node_modules/probing/index.js': probing,
  })

  it('leaves the run known if it only reads a refused feature', async () => {
    expect(await lab.created('looks', layer('looks()'))).toEqual([['function', 'function']])
  })

  it('makes the run unknown if it uses one, and the reason has the package, file and line', async () => {
    const place = 'probing/index.js:3'
    expect(await lab.created('uses', layer('uses()'))).toEqual([
      'goes on',
      `new globalThis.MessageChannel, which leaves the simulation (${place})`,
    ])
  })
})
