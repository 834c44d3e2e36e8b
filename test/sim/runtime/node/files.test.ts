import fs from 'node:fs'
import fsPromises from 'node:fs/promises'
import os from 'node:os'
import path from 'node:path'
import { promisify } from 'node:util'
import { afterAll, describe, expect, it } from 'vitest'
import { ReadableFiles } from '../../../../src/sim/runtime/node/readable-files.ts'
import { Lab } from '../../lab.ts'

const folder = fs.realpathSync(fs.mkdtempSync(path.join(os.tmpdir(), 'files-')))
afterAll(() => fs.rmSync(folder, { recursive: true }))

/** An adapter in a package of its own, beside things that are not its own. */
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

describe('a file', () => {
  const own = packageAt('one')
  const other = packageAt('another/place')

  it("of the adapter's own may be read, in each way, by its real path and as /app has it", async () => {
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

  it('that is not there gives the error of Node, with the path that was asked for', async () => {
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

  it('joins the digest: the same in another folder, another once it has changed', async () => {
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

  const outside: Record<string, () => unknown> = {
    '/etc/hosts': () => fs.readFileSync('/etc/hosts'),
    '/app/../outside.txt': () => fs.readFileSync('/app/../outside.txt'),
    'link.txt': () => fs.readFileSync('link.txt'),
    '/proc/self/status': () => fsPromises.readFile('/proc/self/status'),
    '/etc': () => fs.readdirSync('/etc'),
    '/etc/passwd': () => fs.existsSync('/etc/passwd'),
  }
  for (const [name, read] of Object.entries(outside))
    it(`of others is refused by name, though the layer catches the error: ${name}`, async () => {
      const { got, lab } = await inProcess(own, read)
      expect(got).toBe('ERR_NOT_SIMULATED')
      expect(lab.unsupportedThings).toHaveLength(1)
      expect(lab.unsupportedThings[0]).toContain(`of ${name}, which is no file of the adapter's package`)
    })

  it('of others may be read where the adapter asks for it, but none of the kernel', async () => {
    const { got, lab } = await inProcess(own, () => fs.readFileSync(path.join(own, '../outside.txt'), 'utf8'), true)
    expect(got).toBe('secret')
    expect(lab.unsupportedThings).toEqual([])
    const { got: kernel } = await inProcess(own, () => fs.readFileSync('/proc/uptime'), true)
    expect(kernel).toBe('ERR_NOT_SIMULATED')
  })

  it('is written by nobody', async () => {
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

  it('that modules read while the adapter is loaded waits for what the adapter asks for', () => {
    const [asks, asksNot] = [new ReadableFiles(path.join(own, 'a.ts')), new ReadableFiles(path.join(own, 'b.ts'))]
    for (const files of [asks, asksNot]) files.noteEarly('fs.readFileSync of /etc/hosts')
    expect(asks.permit(true)).toEqual([])
    expect(asksNot.permit(false)).toEqual(['fs.readFileSync of /etc/hosts'])
  })
})
