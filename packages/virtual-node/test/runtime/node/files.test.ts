import fs from 'node:fs'
import fsPromises from 'node:fs/promises'
import os from 'node:os'
import path from 'node:path'
import { promisify } from 'node:util'
import { afterAll, describe, expect, it } from 'vitest'
import { ReadableFiles } from '../../../src/runtime/node/readable-files.ts'
import { Lab } from '../../lab.ts'

const folder = fs.realpathSync(fs.mkdtempSync(path.join(os.tmpdir(), 'files-')))
afterAll(() => fs.rmSync(folder, { recursive: true }))

/** An adapter in its own package, beside foreign files. */
function packageAt(name: string): string {
  const own = path.join(folder, name, 'app')
  const put = (file: string, text: string) => {
    fs.mkdirSync(path.dirname(path.join(own, file)), { recursive: true })
    fs.writeFileSync(path.join(own, file), text)
  }
  put('package.json', '{}')
  put('src/layer.ts', '')
  put('src/take.lua', 'return 1')
  put('node_modules/dep/data.txt', 'data')
  put('../node_modules/above/data.txt', 'above')
  put('../outside.txt', 'secret')
  fs.symlinkSync('../outside.txt', path.join(own, 'link.txt'))
  return own
}

/** Node 20 and 22 have `path`, Node 24 does not. */
interface Listed {
  readonly parentPath: string
  readonly path?: string
}

async function inProcess<T>(own: string, work: () => T, everywhere = false): Promise<{ got: Awaited<T>; lab: Lab }> {
  const lab = new Lab(1, path.join(own, 'src/layer.ts'))
  lab.files.permit(everywhere)
  let got: unknown
  lab.start(async () => {
    try {
      got = await work()
    } catch (error) {
      got = (error as { code?: string }).code
    }
  })
  await lab.run()
  return { got: got as Awaited<T>, lab }
}

/** Node’s types omit the arguments. */
type Stream = new (path: string) => object

function standingIn<T>(folder: string, work: () => T): T {
  const before = process.cwd()
  process.chdir(folder)
  try {
    return work()
  } finally {
    process.chdir(before)
  }
}

describe('a file', () => {
  const own = packageAt('one')
  const other = packageAt('another/place')

  it('may be read in each way if it belongs to the adapter, by its real path and by its path below /app', async () => {
    const ways = () =>
      Promise.all([
        fs.readFileSync(path.join(own, 'src/take.lua'), 'utf8'),
        fs.readFileSync('src/take.lua', 'utf8'),
        fs.readFileSync('/app/src/take.lua').toString(),
        promisify(fs.readFile)('src/take.lua', 'utf8'),
        fsPromises.readFile(new URL('file:///app/src/take.lua'), 'utf8'),
        fs.readFileSync(path.join(own, 'node_modules/dep/data.txt'), 'utf8'),
        fs.readFileSync(path.join(own, '../node_modules/above/data.txt'), 'utf8'),
        fs.existsSync('src'),
        fs.readdirSync('src'),
        fs.statSync('src/take.lua').size,
        fs.realpathSync('src/../src/take.lua'),
      ])
    const { got, lab } = await inProcess(own, ways)
    const lua = Array.from({ length: 5 }, () => 'return 1')
    expect(got).toEqual([...lua, 'data', 'above', true, ['layer.ts', 'take.lua'], 8, '/app/src/take.lua'])
    expect(lab.unsupportedThings).toEqual([])
  })

  it('gives the error of Node with the requested path if it is missing', async () => {
    const { got, lab } = await inProcess(own, () => {
      try {
        fs.readFileSync('none.txt')
      } catch (error) {
        return String(error)
      }
    })
    expect(got).toBe("Error: ENOENT: no such file or directory, open 'none.txt'")
    expect(lab.unsupportedThings).toEqual([])
  })

  it('enters the digest, which is the same in another folder, and differs once the file has changed', async () => {
    const read = () => [fs.readFileSync('src/take.lua', 'utf8'), fs.existsSync('none.txt'), fs.statSync('src').mtimeMs]
    const [one, two] = [await inProcess(own, read), await inProcess(other, read)]
    expect(one.lab.filesRead).toHaveLength(3)
    expect(two.lab.filesRead).toEqual(one.lab.filesRead)
    expect(two.got).toEqual(one.got)
    fs.writeFileSync(path.join(other, 'src/take.lua'), 'return 2')
    const changed = await inProcess(other, read)
    expect(changed.lab.filesRead[0]).not.toBe(one.lab.filesRead[0])
    expect(changed.lab.filesRead.slice(1)).toEqual(one.lab.filesRead.slice(1))
  })

  it('may be read in a package that is linked into node_modules, but not in a package that is not linked', async () => {
    const put = (name: string) => {
      const place = path.join(folder, 'linked', name)
      fs.mkdirSync(place, { recursive: true })
      fs.writeFileSync(path.join(place, 'package.json'), JSON.stringify({ name }))
      return place
    }
    const [linked, stranger] = [put('linked-one'), put('stranger')]
    const linking = packageAt('linking')
    fs.symlinkSync(linked, path.join(linking, 'node_modules/linked-one'))
    const { got, lab } = await inProcess(linking, () => fs.readFileSync(path.join(linked, 'package.json'), 'utf8'))
    expect(got).toContain('linked-one')
    expect(lab.filesRead).toEqual([expect.stringContaining('readFile node_modules/linked-one/package.json')])
    const { got: code } = await inProcess(linking, () => fs.readFileSync(path.join(stranger, 'package.json'), 'utf8'))
    expect(code).toBe('ERR_NOT_SIMULATED')
  })

  const outside: Record<string, () => unknown> = {
    '/etc/hosts': () => fs.readFileSync('/etc/hosts'),
    '/app/../outside.txt': () => fs.readFileSync('/app/../outside.txt'),
    'link.txt': () => fs.readFileSync('link.txt'),
    '/proc/self/status': () => fsPromises.readFile('/proc/self/status'),
    '/etc': () => fs.readdirSync('/etc'),
    '/etc/passwd': () => fs.existsSync('/etc/passwd'),
  }
  for (const [name, read] of Object.entries(outside))
    it(`is refused by name if it has another owner, even if the layer catches the error: ${name}`, async () => {
      const { got, lab } = await inProcess(own, read)
      expect(got).toBe('ERR_NOT_SIMULATED')
      expect(lab.unsupportedThings).toHaveLength(1)
      expect(lab.unsupportedThings[0]).toContain(`of ${name}, outside the packages that the adapter can import`)
    })

  it('outside of the packages may be read if the adapter allows it, unless it is a kernel file', async () => {
    const { got, lab } = await inProcess(own, () => fs.readFileSync(path.join(own, '../outside.txt'), 'utf8'), true)
    expect(got).toBe('secret')
    expect(lab.unsupportedThings).toEqual([])
    const { got: kernel } = await inProcess(own, () => fs.readFileSync('/proc/uptime'), true)
    expect(kernel).toBe('ERR_NOT_SIMULATED')
  })

  it('is listed with its type below the requested folder, as in Node', async () => {
    const lists = (folders: readonly (string | URL)[]) =>
      folders.flatMap((folder) =>
        [false, true].map((recursive) => {
          const entries = fs.readdirSync(folder, { withFileTypes: true, recursive }) as (fs.Dirent & Listed)[]
          return entries.map((entry) => [entry.name, entry.parentPath, entry.path, Object.keys(entry)].join(' ')).sort()
        }),
      )
    const { got, lab } = await inProcess(own, () => lists(['.', './src/', own, '/app', new URL('file:///app/src/')]))
    expect(got.slice(0, 6)).toEqual(standingIn(own, () => lists(['.', './src/', own])))
    const seen = lists([own, path.join(own, 'src/')]).map((list) => list.map((line) => line.replaceAll(own, '/app')))
    expect(got.slice(6)).toEqual(seen)
    expect(lab.unsupportedThings).toEqual([])
    const elsewhere = await inProcess(other, () => lists(['.']))
    expect(elsewhere.lab.filesRead).toEqual(lab.filesRead.slice(0, 2))
    expect(lab.filesRead[0]).not.toBe(lab.filesRead[1])
  })

  it('has stream classes for `instanceof` and subclasses, but a stream of it is refused by name', async () => {
    const { got, lab } = await inProcess(own, () => {
      class Own extends fs.ReadStream {}
      const classes = [fs.ReadStream, fs.WriteStream, Own]
      return classes.map((one) => [typeof one, {} instanceof one, Object.create(one.prototype) instanceof one])
    })
    expect(got).toEqual(Array.from({ length: 3 }, () => ['function', false, true]))
    expect(lab.unsupportedThings).toEqual([])
    const streams = [
      () => new (fs.ReadStream as Stream)('/etc/hosts'),
      () => fs.createReadStream('/etc/hosts'),
      () => new (class Own extends (fs.WriteStream as Stream) {})('/tmp/none'),
    ]
    const refused = []
    for (const stream of streams) {
      const { got: code, lab: its } = await inProcess(own, stream as () => unknown)
      refused.push([code, ...its.unsupportedThings])
    }
    expect(refused).toEqual([
      ['ERR_NOT_SIMULATED', 'new fs.ReadStream, which leaves the simulation'],
      ['ERR_NOT_SIMULATED', 'fs.createReadStream, which leaves the simulation'],
      ['ERR_NOT_SIMULATED', 'new fs.WriteStream, which leaves the simulation'],
    ])
  })

  it('cannot be written', async () => {
    const file = path.join(own, 'written')
    const writes = [
      () => fs.writeFileSync(file, ''),
      () => fsPromises.writeFile(file, ''),
      () => fs.appendFileSync(file, ''),
      () => fs.mkdirSync(file),
      () => fs.createWriteStream(file),
      () => fs.readFileSync(file, { flag: 'w+' }),
      () => fs.openSync(file, 'w'),
      () => fs.writeSync(7, 'text'),
    ]
    for (const write of writes) {
      const { got, lab } = await inProcess(own, write)
      expect(got).toBe('ERR_NOT_SIMULATED')
      expect(lab.unsupportedThings[0]).toMatch(/^fs\.(promises\.)?[a-zA-Z]+/)
    }
    expect(fs.existsSync(file)).toBe(false)
  })

  it('is checked against the permissions of the adapter if modules read it during loading', () => {
    const [asks, asksNot] = [new ReadableFiles(path.join(own, 'a.ts')), new ReadableFiles(path.join(own, 'b.ts'))]
    for (const files of [asks, asksNot]) files.noteEarly('fs.readFileSync of /etc/hosts')
    expect(asks.permit(true)).toEqual([])
    expect(asksNot.permit(false)).toEqual(['fs.readFileSync of /etc/hosts'])
  })
})
