import fs from 'node:fs'
import fsPromises from 'node:fs/promises'
import module, { createRequire } from 'node:module'
import { text } from 'node:stream/consumers'
import v8 from 'node:v8'
import { describe, expect, it } from 'vitest'
import { current } from '../../../src/runtime/current.ts'
import { Lab } from '../../lab.ts'

const require = createRequire(import.meta.url)

/** The result or error of work in a process, and what made the run unknown. */
async function inProcess(work: () => unknown): Promise<{ got: unknown; unknown: readonly string[] }> {
  const lab = new Lab()
  let got: unknown
  lab.start(async () => {
    try {
      got = await work()
    } catch (error) {
      got = error
    }
  })
  await lab.run()
  return { got, unknown: lab.unsupportedThings }
}

const { binding, moduleLoadList } = process as unknown as {
  binding: (name: string) => Record<string, number[] & (() => void)>
  moduleLoadList: string[]
}
function hasBinding(name: string): boolean {
  try {
    return binding(name) !== undefined
  } catch {
    return false
  }
}
const swapCase = (text: string) =>
  text.replace(/[a-z]/gi, (letter) => (/[a-z]/.test(letter) ? letter.toUpperCase() : letter.toLowerCase()))
const nodeTiming = () => (performance as unknown as { nodeTiming: { nodeStart: number } }).nodeTiming
const domain = () => require('node:domain') as typeof import('node:domain')

/** The members that packages inspect, by name: an inspection, its result, and a use. */
const lookedAt: Record<string, [look: () => unknown, seen: unknown, use: () => unknown]> = {
  MessageChannel: [
    () => [typeof MessageChannel, MessageChannel === globalThis.MessageChannel, {} instanceof MessageChannel],
    ['function', true, false],
    () => new MessageChannel(),
  ],
  BroadcastChannel: [() => typeof BroadcastChannel, 'function', () => new BroadcastChannel('a')],
  'v8.promiseHooks': [
    () => [typeof v8.promiseHooks, 'onInit' in v8.promiseHooks, typeof v8.promiseHooks.onInit],
    ['object', true, 'function'],
    () => v8.promiseHooks.onInit(() => {}),
  ],
  'process.moduleLoadList': [
    () => typeof (process as unknown as { moduleLoadList: unknown }).moduleLoadList,
    'object',
    () => (process as unknown as { moduleLoadList: string[] }).moduleLoadList.length,
  ],
  'performance.nodeTiming': [
    () => [typeof nodeTiming(), Object.hasOwn(nodeTiming(), 'none')],
    ['object', false],
    () => nodeTiming().nodeStart,
  ],
  domain: [
    () => [typeof domain().create, Object.keys(domain()).includes('create')],
    ['function', true],
    () => domain().create(),
  ],
  ...(hasBinding('v8') && {
    "process.binding('v8')": [
      () => typeof (process as never as { binding: typeof binding }).binding('v8').heapStatisticsBuffer,
      'object',
      () => (process as never as { binding: typeof binding }).binding('v8').heapStatisticsBuffer![0],
    ],
  }),
  "process.binding('fs')": [
    () => typeof (process as never as { binding: typeof binding }).binding('fs').open,
    'function',
    () => (process as never as { binding: typeof binding }).binding('fs').open!(),
  ],
}

describe('an inspectable API that is not simulated', () => {
  for (const [name, [look, seen, use]] of Object.entries(lookedAt))
    it(`exists as in Node, and makes the result of a run unknown once it is used: ${name}`, async () => {
      expect(await inProcess(look)).toEqual({ got: seen, unknown: [] })
      const used = await inProcess(use)
      expect(used.got).toMatchObject({ code: 'ERR_NOT_SIMULATED' })
      expect(used.unknown).toHaveLength(1)
      expect(used.unknown[0]).toContain(name.replace('performance', 'Performance'))
    })

  it('cannot be changed', async () => {
    const change = () => Object.assign(v8.promiseHooks, { onInit: null })
    expect((await inProcess(change)).unknown).toEqual(['v8.promiseHooks, which leaves the simulation'])
    expect(v8.promiseHooks.onInit).toBeTypeOf('function')
  })

  it('is the real API outside every process', () => {
    expect(moduleLoadList.length).toBeGreaterThan(0)
    const { port1 } = new MessageChannel()
    port1.close()
  })
})

type Resolve = (request: string, context: object, next: (request: string, context: object) => object) => object
/** `registerHooks` exists in Node 22.15 and later. */
const { registerHooks } = module as unknown as {
  registerHooks?: (hooks: { resolve: Resolve }) => { deregister(): void }
}

describe.skipIf(registerHooks === undefined)('a hook of the host on loading modules', () => {
  it('runs outside of the process that requires the module', async () => {
    const seen: (string | null)[] = []
    const hooks = registerHooks!({
      resolve(request, context, next) {
        if (request === 'node:vm') seen.push(current?.name ?? null)
        return next(request, context)
      },
    })
    const { unknown } = await inProcess(() => require('node:vm'))
    hooks.deregister()
    expect({ seen, unknown }).toEqual({ seen: [null], unknown: [] })
  })
})

describe('the answer to a process', () => {
  it('is undefined for a member that Node lacks on this system', async () => {
    expect(await inProcess(() => [fs.lchmod, 'lchmod' in fs])).toEqual({ got: [undefined, true], unknown: [] })
  })

  it('is a standard input at its end', async () => {
    const read = async () => [await text(process.stdin), process.stdin.isTTY, process.stdin.fd]
    expect(await inProcess(read)).toEqual({ got: ['', undefined, 0], unknown: [] })
  })

  it('is a report with the C library, which cannot be written', async () => {
    const report = process.report!
    const ask = () => {
      const own = process.report as typeof report & { excludeNetwork: boolean }
      own.excludeNetwork = true
      const { header } = own.getReport() as { header: { glibcVersionRuntime: string } }
      return [own.excludeNetwork, header.glibcVersionRuntime, own === report]
    }
    expect(await inProcess(ask)).toEqual({ got: [true, '2.36', false], unknown: [] })
    const { unknown } = await inProcess(() => process.report!.writeReport())
    expect(unknown).toEqual(['process.report.writeReport, which leaves the simulation'])
  })

  it('describes the same machine everywhere in files by which packages recognize the machine', async () => {
    const ask = async () => [
      fs.readFileSync('/proc/version', 'utf8'),
      (await fsPromises.readFile('/proc/self/cgroup')).toString(),
      fs.statSync('/proc/version').size,
      fs.realpathSync('/proc/version'),
      fs.existsSync('/.dockerenv'),
      fs.statSync('/run/WSL', { throwIfNoEntry: false }),
      fs.existsSync(swapCase(import.meta.filename)),
      await fsPromises.access('/etc/alpine-release').catch(({ code, message }) => [code, message]),
    ]
    const { got, unknown } = await inProcess(ask)
    const absent = "ENOENT: no such file or directory, access '/etc/alpine-release'"
    const version = 'Linux version 6.1.0 #1 SMP\n'
    expect(got).toEqual([
      version,
      '0::/\n',
      version.length,
      '/proc/version',
      false,
      undefined,
      false,
      ['ENOENT', absent],
    ])
    expect(unknown).toEqual([])
  })

  it('is a refusal for other files of the machine', async () => {
    const { unknown } = await inProcess(() => fs.existsSync('/proc/meminfo'))
    expect(unknown).toEqual([expect.stringMatching(/^fs\.existsSync of \/proc\/meminfo, outside the packages/)])
  })
})
