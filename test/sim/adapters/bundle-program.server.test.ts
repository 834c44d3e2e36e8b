import { execFileSync } from 'node:child_process'
import { expect, it } from 'vitest'
import { bundleProgram } from '../../../src/sim/adapters/loader.ts'
import { AdapterLab } from './adapter-lab.ts'

const lab = new AdapterLab()

/** The `id` of the adapter in a separate Node, in another folder. */
async function idOf(name: string, files: Record<string, string>): Promise<string> {
  const program = lab.adapter(`${name}-program`, { 'adapter.cjs': await bundleProgram(lab.adapter(name, files)) })
  const main = `const made = require(${JSON.stringify(program)})
Promise.resolve(made.loading ?? made).then(async (it) => process.stdout.write(String(await it.default.id)))`
  return execFileSync(process.execPath, ['-e', main], { encoding: 'utf8' })
}

it('a program for a separate Node loads modules with computed names from their folders', async () => {
  const files = {
    'layer.ts': `import { createRequire } from 'node:module'
const names = ['./near.cjs', './far.mjs']
const own = createRequire(import.meta.url)
export default { id: (async () => own(names[0]).near + (await import(names[1])).far + typeof (await import(['fs'][0])).stat)() }`,
    'near.cjs': "exports.near = 'near '",
    'far.mjs': "export const far = 'far '",
  }
  expect(await idOf('computed', files)).toBe('near far function')
})

it('a program for a separate Node may use top-level await', async () => {
  const files = {
    'layer.ts': `import os from 'node:os'
const missing = await import('nowhere').catch((error) => error.code)
await new Promise((done) => setTimeout(done, 5))
export default { id: typeof os.cpus + ' ' + missing }`,
  }
  expect(await idOf('waits', files)).toBe('function ERR_MODULE_NOT_FOUND')
})

it('a program for a separate Node works without optional packages', async () => {
  const files = {
    'layer.ts': "import how from './how.cjs'\nexport default { id: how }",
    'how.cjs': "try { require('hiredis') } catch ({ code }) { module.exports = code }",
  }
  expect(await idOf('optional', files)).toBe('MODULE_NOT_FOUND')
})

it('a program for a separate Node resolves from the importing module', async () => {
  const files = {
    'layer.ts': "import { near } from './deep/looks.mjs'\nexport default { id: near }",
    'deep/looks.mjs':
      "const meta = import.meta\nexport const near = meta.resolve('./near.js') === new URL('./near.js', meta.url).href",
    'deep/near.js': '',
  }
  expect(await idOf('resolves', files)).toBe('true')
})
