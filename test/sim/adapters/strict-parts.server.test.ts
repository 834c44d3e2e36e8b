import { execFileSync } from 'node:child_process'
import path from 'node:path'
import { pathToFileURL } from 'node:url'
import { describe, expect, it } from 'vitest'
import { bundleProgram } from '../../../src/sim/adapters/loader.ts'
import { AdapterLab, giving } from './adapter-lab.ts'

const lab = new AdapterLab()

/** Expressions that distinguish strict from sloppy mode. */
const looks = `[
  (function () { return this === undefined })(),
  (() => { try { undeclared_ = 1; return delete globalThis.undeclared_ } catch (error) { return error.name } })(),
  (() => { try { Object.freeze([]).length = 1; return 'unheard' } catch (error) { return error.name } })(),
]`
const files = (layer: string) => ({
  'layer.ts': layer,
  'package.json': '{}',
  'modes.mjs': `import sloppy from './sloppy.cjs'
import strict from './strict.cjs'
import data from './data.cjs'
export function hoisted() { return this === undefined }
export const seen = async () => [${looks}, hoisted.call(undefined), sloppy.seen, strict, data, await sloppy.late(), sloppy.same(sloppy)]`,
  'sloppy.cjs': `exports.seen = ${looks}
exports.late = async () => { const esm = await import('./late.mjs'); return [esm.seen, require('./strict.cjs')] }
exports.same = function (other) { return other === require('./sloppy.cjs') && typeof arguments.callee === 'function' }
exports.text = \`
});
var require_text = __commonJS({
\``,
  'strict.cjs': `'use strict'\nmodule.exports = ${looks}`,
  'data.cjs': "module.exports = require('./data.json')",
  'data.json': '{ "near": 7 }',
  'late.mjs': `import sloppy from './sloppy.cjs'\nexport const seen = [${looks}, sloppy.seen.length, sloppy.text]`,
})

/** The same modules in Node. */
function inNode(name: string): unknown {
  const file = pathToFileURL(path.join(lab.folder, name, 'modes.mjs')).href
  const code = `import { seen } from ${JSON.stringify(file)}; process.stdout.write(JSON.stringify(await seen()))`
  return JSON.parse(execFileSync(process.execPath, ['--input-type=module', '-e', code], { encoding: 'utf8' }))
}

const ways: Record<string, string> = {
  imported: giving('await seen()', "import { seen } from './modes.mjs'"),
  'imported by an adapter that waits': giving('await seen()', "import { seen } from './modes.mjs'\nawait null"),
  'imported while a message is handled': giving("await (await import('./modes.mjs')).seen()"),
  'named while a message is handled': giving("await (await import(['./modes', 'mjs'].join('.'))).seen()"),
}

describe('ES modules are strict, and CommonJS modules as they declare:', () => {
  for (const [way, layer] of Object.entries(ways))
    it(way, async () => {
      const [got] = await lab.created(way, files(layer))
      expect(got).toEqual(inNode(way))
      expect((got as unknown[][]).slice(0, 4)).toEqual([
        [true, 'ReferenceError', 'TypeError'],
        true,
        [false, true, 'unheard'],
        [true, 'ReferenceError', 'TypeError'],
      ])
    })

  it('in a separate Node', async () => {
    const layer = "import { seen } from './modes.mjs'\nexport default { id: seen().then(JSON.stringify) }"
    const program = lab.adapter('program', {
      'adapter.cjs': await bundleProgram(lab.adapter('own node', files(layer))),
    })
    const main = `require(${JSON.stringify(program)}).default.id.then((text) => process.stdout.write(text))`
    expect(JSON.parse(execFileSync(process.execPath, ['-e', main], { encoding: 'utf8' }))).toEqual(inNode('own node'))
  })

  it('an adapter itself', async () => {
    expect(
      await lab.created('itself', { 'layer.ts': giving(looks.replace('undeclared_ = 1', 'eval("undeclared_ = 1")')) }),
    ).toEqual([[true, 'ReferenceError', 'TypeError']])
  })
})
