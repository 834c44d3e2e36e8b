import { execFileSync } from 'node:child_process'
import { createRequire } from 'node:module'
import { describe, expect, it } from 'vitest'
import { type ApiTable, classesOf, isConstant } from '../../../src/runtime/node/api-class.ts'
import { apiOfModules } from '../../../src/runtime/node/api-of-modules.ts'
import { apiOfObjects } from '../../../src/runtime/node/api-of-objects.ts'
import { guard } from '../../../src/runtime/node/guard.ts'
import { objects } from '../../../src/runtime/node/guard-node.ts'
import { Lab } from '../../lab.ts'

interface Member {
  readonly name: string
  readonly constant: boolean
}
type Members = Readonly<Record<string, readonly Member[]>>

const script = new URL('members.cjs', import.meta.url).pathname

/** The members of the Node that runs this test. */
function membersOfNode(): { modules: Members; objects: Members } {
  return JSON.parse(execFileSync(process.execPath, [script], { encoding: 'utf8' }))
}

/** Members that are in no list. */
function unclassified(members: Members, table: ApiTable): string[] {
  return Object.entries(members).flatMap(([owner, list]) => {
    const classes = classesOf(table[owner] ?? {})
    const missing = list.filter(({ name, constant }) => !classes.has(name) && !(constant && isConstant(name, '')))
    return missing.map(({ name }) => `${owner}: ${name}`)
  })
}

/** Members that are in two lists of one owner. */
function ambiguous(table: ApiTable): string[] {
  return Object.entries(table).flatMap(([owner, classes]) => {
    const names = Object.values(classes).flatMap((text: string) => text.split(/\s+/).filter((name) => name !== ''))
    return names.filter((name, at) => names.indexOf(name) !== at).map((name) => `${owner}: ${name}`)
  })
}

const require = createRequire(import.meta.url)

/** The reported name when a process uses a member, or null. */
async function reportedOf(use: () => unknown): Promise<string | null> {
  const lab = new Lab()
  lab.start(() => {
    try {
      use()
    } catch {
      // The use is reported even if it throws.
    }
  })
  await lab.run()
  return lab.unsupportedThings[0] ?? null
}

function refusedOf(table: ApiTable): [owner: string, name: string][] {
  return Object.entries(table).flatMap(([owner, classes]) =>
    [...classesOf(classes)].filter(([, one]) => one === 'refused').map(([name]): [string, string] => [owner, name]),
  )
}

/**
 * Modules whose loading is refused in a process. Loading them would change the Node of this test.
 */
const unloaded = new Set(['domain', 'repl', 'test', 'test/reporters'])

describe("Node's API", () => {
  const { modules, objects: found } = membersOfNode()

  it('has no unclassified member', () => {
    expect(unclassified(modules, apiOfModules)).toEqual([])
    expect(unclassified(found, apiOfObjects)).toEqual([])
  })

  it('reports new members of a newer version', () => {
    const newer = { os: [{ name: 'brandNew', constant: false }], brand_new: [{ name: 'open', constant: false }] }
    expect(unclassified(newer, apiOfModules)).toEqual(['os: brandNew', 'brand_new: open'])
  })

  it('has each member in one class', () => {
    expect(ambiguous(apiOfModules)).toEqual([])
    expect(ambiguous(apiOfObjects)).toEqual([])
    expect(ambiguous({ os: { asIs: 'cpus', refused: 'cpus' } })).toEqual(['os: cpus'])
  })

  it('refuses forbidden and unclassified members in a process, by name', async () => {
    const escaped: string[] = []
    const use = async (owner: object, place: string, name: string) => {
      const descriptor = Object.getOwnPropertyDescriptor(owner, name)
      // `fs.lchmod` is a member without a value.
      if (descriptor === undefined || ('value' in descriptor && descriptor.value === undefined)) return
      const reported = await reportedOf(() => {
        const value: unknown = Reflect.get(owner, name, owner === Event.prototype ? new Event('asked') : owner)
        return typeof value === 'object' && value !== null
          ? Object.assign(value, { used: true })
          : typeof value === 'function'
            ? value()
            : value
      })
      if (!reported?.includes(name)) escaped.push(`${place}.${name}: ${reported}`)
    }
    for (const [module, name] of refusedOf(apiOfModules))
      if (!unloaded.has(module) && modules[module] !== undefined) await use(require(`node:${module}`), module, name)
    for (const [object, name] of refusedOf(apiOfObjects)) {
      const owner = objects()[object]
      if (owner !== undefined) await use(owner, object, name)
    }
    expect(escaped).toEqual([])

    const newer = { brandNew: () => 'real' }
    guard(newer, 'os', { asIs: 'old' })
    expect(await reportedOf(() => newer.brandNew())).toBe('os.brandNew, which leaves the simulation')
    expect(newer.brandNew()).toBe('real')
  })

  it('does not report or refuse deterministic members', async () => {
    const util = require('node:util')
    expect(await reportedOf(() => util.format('%s', 1))).toBeNull()
    expect(await reportedOf(() => require('node:path').join('a', 'b'))).toBeNull()
  })
})
