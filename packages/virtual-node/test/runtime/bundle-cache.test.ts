import fs from 'node:fs'
import path from 'node:path'
import { describe, expect, it } from 'vitest'
import { temporaryFolder } from '../../../../test/cli/run-cli.ts'
import { keptBundle } from '../../src/runtime/bundle-cache.ts'
import { embedded } from '../../src/runtime/embedding.ts'

const cache = embedded().bundles

/** An adapter of one file whose bundle is its text, with a counter of builds. */
function adapter(text = 'one') {
  const folder = temporaryFolder()
  const file = path.join(folder, 'layer.ts')
  fs.writeFileSync(file, text)
  let made = 0
  const bundle = (...more: string[]) =>
    keptBundle([file, ...more], async () => {
      made++
      return { bundle: { code: fs.readFileSync(file, 'utf8'), folder }, inputs: [file] }
    })
  return { folder, file, bundle, made: () => made }
}

/**
 * The file of a cached bundle. Commands of other tests use the same cache, which evicts the oldest
 * bundles.
 */
function placeOf(folder: string): string {
  const files = fs.readdirSync(cache).map((name) => path.join(cache, name))
  return files.find((file) => textOf(file).includes(folder))!
}

/** Empty if the file is missing. */
function textOf(file: string): string {
  try {
    return fs.readFileSync(file, 'utf8')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return ''
    throw error
  }
}

describe('a bundle', () => {
  it('is built once while nothing changes', async () => {
    const { bundle, made, folder } = adapter()
    const bundles = [await bundle(), await bundle(), await bundle()]
    expect(bundles).toEqual(Array(3).fill({ code: 'one', folder }))
    expect(made()).toBe(1)
  })

  it('has the time of its last use, so that unused bundles are evicted first', async () => {
    const { bundle, folder } = adapter()
    await bundle()
    const place = placeOf(folder)
    const anHourAgo = new Date(Date.now() - 3_600_000)
    fs.utimesSync(place, anHourAgo, anHourAgo)
    await bundle()
    expect(fs.statSync(place).mtimeMs).toBeGreaterThan(anHourAgo.getTime() + 1_000)
  })

  it('is not built again if only a timestamp changes', async () => {
    const { bundle, made, file } = adapter()
    await bundle()
    fs.utimesSync(file, 1, 1)
    await bundle()
    expect(made()).toBe(1)
  })

  it('is built again when a file changes, even at once and with the same size and time', async () => {
    const { bundle, file } = adapter()
    await bundle()
    const { atime, mtime } = fs.statSync(file)
    fs.writeFileSync(file, 'two')
    fs.utimesSync(file, atime, mtime)
    expect(await bundle()).toMatchObject({ code: 'two' })
  })

  it.each(['neighbour.ts', 'node_modules/package/index.js', 'package.json', 'tsconfig.json'])(
    'is built again when there is a new %s that could be imported instead',
    async (name) => {
      const { bundle, made, folder } = adapter()
      await bundle()
      fs.mkdirSync(path.dirname(path.join(folder, name)), { recursive: true })
      fs.writeFileSync(path.join(folder, name), '')
      await bundle()
      expect(made()).toBe(2)
    },
  )

  it('is built separately for other options', async () => {
    const { bundle, made } = adapter()
    await bundle()
    await bundle('patched')
    await bundle('patched')
    expect(made()).toBe(2)
  })

  it.each([
    ['cut off', (text: string) => text.slice(0, -2)],
    ['changed', (text: string) => text.replace('"one"', '"two"')],
    ['emptied', () => ''],
  ])('is built again if it is %s on disk', async (_, damage) => {
    const { bundle, made, folder } = adapter()
    await bundle()
    const place = placeOf(folder)
    fs.writeFileSync(place, damage(fs.readFileSync(place, 'utf8')))
    expect(await bundle()).toMatchObject({ code: 'one' })
    expect(made()).toBe(2)
  })

  it('is not kept if the build fails', async () => {
    const { file } = adapter()
    const failing = () => keptBundle([file], () => Promise.reject(new Error('no')))
    await expect(failing()).rejects.toThrow('no')
    await expect(failing()).rejects.toThrow('no')
  })
})
