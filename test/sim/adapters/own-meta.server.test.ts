import { execFileSync } from 'node:child_process'
import path from 'node:path'
import { pathToFileURL } from 'node:url'
import { describe, expect, it } from 'vitest'
import { AdapterLab, giving } from './adapter-lab.ts'

const lab = new AdapterLab()

/** The observations of an ES module about its `import.meta`. */
const looks = `
const meta = import.meta
const resolved = (name) => { try { return import.meta.resolve(name) } catch (error) { return error.code } }
export const seen = () => [
  Object.keys(meta).join(), String(Object.getPrototypeOf(meta)), meta === import.meta, typeof import.meta.env,
  import.meta.url, meta.url, meta.dirname, meta.filename, import.meta.dirname, import.meta.filename,
  ...['./near.mjs', './none.mjs', 'dual', 'dual/deep', 'dual/hidden', 'nowhere', 'fs', 'node:os', '#own', './'].map(resolved),
]
`
const files = (layer: string) => ({
  'layer.ts': layer,
  'package.json': '{ "name": "app", "imports": { "#own": "./near.mjs" } }',
  'looks.mjs': looks,
  'near.mjs': '',
  'node_modules/dual/package.json': JSON.stringify({
    name: 'dual',
    exports: { '.': { import: './index.mjs', require: './index.cjs' }, './deep': './deep.js' },
  }),
  'node_modules/dual/index.mjs': '',
  'node_modules/dual/index.cjs': '',
  'node_modules/dual/deep.js': '',
})

/** The same module in Node. */
function inNode(name: string): unknown {
  const file = pathToFileURL(path.join(lab.folder, name, 'looks.mjs')).href
  const code = `import { seen } from ${JSON.stringify(file)}; process.stdout.write(JSON.stringify(seen()))`
  return JSON.parse(execFileSync(process.execPath, ['--input-type=module', '-e', code], { encoding: 'utf8' }))
}

const ways: Record<string, string> = {
  imported: giving('seen()', "import { seen } from './looks.mjs'"),
  'imported by an adapter that waits': giving('seen()', "import { seen } from './looks.mjs'\nawait null"),
  'imported while a message is handled': giving("(await import('./looks.mjs')).seen()"),
  'named while a message is handled': giving("(await import(['./looks', 'mjs'].join('.'))).seen()"),
  'the adapter itself': giving('seen()', `import { seen } from './looks.mjs'\nexport const own = import.meta`),
}

describe('import.meta is the same as in Node:', () => {
  for (const [way, layer] of Object.entries(ways))
    it(way, async () => {
      const [got, ...unsupported] = await lab.created(way, files(layer))
      expect(got).toEqual(inNode(way))
      expect(unsupported).toEqual([])
    })

  it('a CommonJS module that only mentions it stays CommonJS', async () => {
    const layer = giving('speaks', "import speaks from './speaks.cjs'")
    const speaks =
      "/*\nimport x from 'x'; import.meta\n*/\nmodule.exports = [typeof module, this === exports, 'import.meta']"
    const its = { ...files(layer), 'speaks.cjs': speaks }
    expect(await lab.created('speaks', its)).toEqual([['object', true, 'import.meta']])
  })

  it('it accesses no file that the process may not read', async () => {
    const layer = giving("import.meta.resolve('file:///etc/hosts')")
    const [, what] = await lab.created('outside', files(layer))
    expect(what).toMatch(/ of \/etc\/hosts, outside the packages that the adapter can import/)
  })
})
