import { describe, expect, it } from 'vitest'
import { LoadError, loadImplementation } from '../../../src/sim/runtime/load-implementation.ts'
import { AdapterLab, giving } from './adapter-lab.ts'

const lab = new AdapterLab()
const created: AdapterLab['created'] = (...args) => lab.created(...args)
const two = ['consumer-1', 'consumer-2']

const counter = 'let calls = 0\nmodule.exports = { count: () => ++calls }'
const requireHere = "import { createRequire } from 'node:module'\nconst load = createRequire(import.meta.url)"
/** A package as it is installed. */
const installed = (name: string, source: string, more: object = {}) => ({
  [`node_modules/${name}/package.json`]: JSON.stringify({ name, version: '1.2.3', ...more }),
  [`node_modules/${name}/index.js`]: source,
})

describe('createRequire', () => {
  it('loads modules for each process, once', async () => {
    const files = {
      'layer.ts': giving("[load('./counter.cjs').count(), load(['.', 'counter.cjs'].join('/')).count()]", requireHere),
      'counter.cjs': counter,
    }
    expect(await created('create-require', files, two)).toEqual([
      [1, 2],
      [1, 2],
    ])
  })

  it('gives the module that an import of the same file gives', async () => {
    const files = {
      'layer.ts': giving(
        "[load('./counter.cjs').count(), own.count(), load('dep').count(), dep.count()]",
        `${requireHere}\nimport own from './counter.cjs'\nimport dep from 'dep'`,
      ),
      'counter.cjs': counter,
      ...installed('dep', counter),
    }
    expect(await created('same-module', files)).toEqual([[1, 2, 1, 2]])
  })

  it('takes modules by the conditions of `require`, from the file that it was made for', async () => {
    const files = {
      'layer.ts': giving("[load('dual'), deep]", `${requireHere}\nimport { deep } from './deep/deep.mjs'`),
      'deep/deep.mjs':
        "import Module from 'module'\nexport const deep = Module.createRequire(new URL('.', import.meta.url))('./near.json').near",
      'deep/near.json': '{ "near": 7 }',
      ...installed('dual', '', { exports: { import: './index.mjs', require: './index.cjs' } }),
      'node_modules/dual/index.cjs': "module.exports = 'required'",
      'node_modules/dual/index.mjs': "export default 'imported'",
    }
    expect(await created('conditions', files)).toEqual([['required', 7]])
  })

  it('gives Node’s own modules as the process has them', async () => {
    const files = {
      'layer.ts': giving("load('node:os').hostname() === os.hostname()", `${requireHere}\nimport os from 'os'`),
    }
    expect(await created('builtin', files, two)).toEqual([true, true])
  })

  it('throws as Node for what is not there, and for a place that is none', async () => {
    const files = {
      'layer.ts': giving(
        "[attempt(() => load('nowhere')), attempt(() => load('./nowhere.cjs')), attempt(() => createRequire('nowhere'))]",
        `${requireHere}\nconst attempt = (work) => { try { return work() } catch ({ code, message }) { return [code, message.split('\\n')[0].slice(0, 34)] } }`,
      ),
    }
    expect(await created('nowhere', files)).toEqual([
      [
        ['MODULE_NOT_FOUND', "Cannot find module 'nowhere'"],
        ['MODULE_NOT_FOUND', "Cannot find module './nowhere.cjs'"],
        ['ERR_INVALID_ARG_VALUE', "The argument 'filename' must be a "],
      ],
    ])
  })
})

it('Node’s own loader, found past the process’s `require`, is refused by name', async () => {
  const found = "process.getBuiltinModule('node:module').createRequire(import.meta.url)"
  const files = { 'layer.ts': giving(`${found}('./counter.cjs')`), 'counter.cjs': counter }
  expect(await created('past-require', files)).toEqual([
    "Error undefined the module counter.cjs, loaded past the process's own `require`, is not simulated",
    "the module counter.cjs, loaded past the process's own `require`",
  ])
})

describe('a computed `require`', () => {
  it('reads a package.json beside the package', async () => {
    const files = {
      'layer.ts': giving('dep', "import dep from 'dep'"),
      ...installed(
        'dep',
        "const path = require('path')\nmodule.exports = require(path.join(__dirname, 'package.json')).version",
      ),
    }
    expect(await created('package-json', files)).toEqual(['1.2.3'])
  })

  it('works where `require` is handed on, and in a `try`', async () => {
    const files = {
      'layer.ts': giving('dep', "import dep from 'dep'"),
      ...installed(
        'dep',
        `"use strict"
const late = typeof require === 'function' ? require : null, name = './' + 'other'
let other; try { other = require(name) } catch {}
module.exports = [late('./other') === other, other, require.resolve(name) === late.resolve('./other.js')]`,
      ),
      'node_modules/dep/other.js': 'module.exports = { other: 1 }',
    }
    expect(await created('handed-on', files)).toEqual([[true, { other: 1 }, true]])
  })

  it('tells where a module is, named or computed', async () => {
    const files = {
      'layer.ts': giving('dep', "import dep from 'dep'"),
      ...installed(
        'dep',
        `const path = require('path'), name = './other.js'
const code = (work) => { try { return work() } catch (error) { return error.code } }
module.exports = [path.relative(__dirname, require.resolve('./other')), path.relative(__dirname, require.resolve(name)),
  code(() => require.resolve('nowhere')), code(() => require.resolve(['no', 'where'].join('')))]`,
      ),
      'node_modules/dep/other.js': '',
    }
    expect(await created('resolve', files)).toEqual([['other.js', 'other.js', 'MODULE_NOT_FOUND', 'MODULE_NOT_FOUND']])
  })

  it('of what cannot be compiled is not simulated, by name', async () => {
    const files = { 'layer.ts': giving("load('./broken' + '.cjs')", requireHere), 'broken.cjs': 'const = 5' }
    const [error, unsupported] = (await created('broken', files)) as [string, string]
    expect(error).toMatch(/^SyntaxError/)
    expect(unsupported).toMatch(/^the module broken\.cjs, which is named while it runs: .*broken\.cjs:1\)/)
  })
})

describe('import() while a message is handled', () => {
  it('gives a module of the process’s own', async () => {
    const files = {
      'layer.ts': giving("[(await import('./counter.mjs')).count(), (await import(`${'dep'}`)).default.count()]"),
      'counter.mjs': 'let calls = 0\nexport const count = () => ++calls',
      ...installed('dep', counter),
    }
    expect(await created('import', files, two)).toEqual([
      [1, 1],
      [1, 1],
    ])
  })

  it('gives Node’s own modules, named or computed', async () => {
    const files = {
      'layer.ts': giving(
        "[(await import('node:os')).hostname() === os.hostname(), (await import(['node:', 'os'].join(''))).default.hostname() === os.hostname()]",
        "import os from 'node:os'",
      ),
    }
    expect(await created('import-builtin', files)).toEqual([[true, true]])
  })

  it('gives what a static import of the same file gives, by the conditions of `import`', async () => {
    const files = {
      'layer.ts': giving(
        '[(await import(name)) === dual, dual.default]',
        "import * as dual from 'dual'\nconst name = ['dual'][0]",
      ),
      ...installed('dual', '', { exports: { import: './index.mjs', require: './index.cjs' } }),
      'node_modules/dual/index.cjs': "module.exports = 'required'",
      'node_modules/dual/index.mjs': "export default 'imported'",
    }
    expect(await created('import-dual', files)).toEqual([[true, 'imported']])
  })

  it('rejects as Node for what is not there', async () => {
    const files = {
      'layer.ts': giving(
        "[await import('nowhere').catch(code), await import(['no', 'where'].join('')).catch(code)]",
        'const code = (error) => error.code',
      ),
    }
    expect(await created('import-nowhere', files)).toEqual([['ERR_MODULE_NOT_FOUND', 'ERR_MODULE_NOT_FOUND']])
  })

  it('waits for a module that waits, on virtual time', async () => {
    const files = {
      'layer.ts': giving(
        "[(await import('./slow.mjs')).tookMs, (await import(name)).tookMs]",
        "const name = './slow' + '.mjs'",
      ),
      'slow.mjs':
        'const from = Date.now()\nawait new Promise((done) => setTimeout(done, 250))\nexport const tookMs = Date.now() - from',
    }
    expect(await created('import-slow', files)).toEqual([[250, 250]])
  })
})

describe('an optional package that is not installed', () => {
  it('is caught where it is required, as in Node', async () => {
    const files = {
      'layer.ts': giving('dep', "import dep from 'dep'"),
      // As redis-parser does: the file that requires it is what is tried.
      ...installed(
        'dep',
        "let how = 'in JavaScript'\ntry { how = require('./native') } catch (error) { how += ' ' + error.code }\nmodule.exports = how",
      ),
      'node_modules/dep/native.js': "module.exports = require('hiredis')",
    }
    expect(await created('optional', files)).toEqual(['in JavaScript MODULE_NOT_FOUND'])
  })

  it('is taken where it is installed', async () => {
    const files = {
      'layer.ts': giving('dep', "import dep from 'dep'"),
      ...installed('dep', "try { module.exports = require('hiredis') } catch {}"),
      ...installed('hiredis', "module.exports = 'native'"),
    }
    expect(await created('installed', files)).toEqual(['native'])
  })
})

describe('a native addon', () => {
  const addon = {
    'node_modules/native/build/it.node': 'ELF',
    ...installed('native', "module.exports = require('./build/it.node')"),
  }

  it('is refused by name, with exit 4', async () => {
    const file = lab.adapter('addon', { 'layer.ts': giving('native', "import native from 'native'"), ...addon })
    const error = await loadImplementation(file).catch((thrown) => thrown)
    expect(error).toBeInstanceOf(LoadError)
    expect(error).toMatchObject({ culprit: file, exitCode: 4 })
    expect(error.remedy).toMatch(/^while it is loaded it needs what is not simulated \(the native addon it\.node\)/)
  })

  it('is refused by name where a message is handled', async () => {
    const files = { 'layer.ts': giving("load('native')", requireHere), ...addon }
    expect(await created('late-addon', files)).toEqual([
      'Error ERR_DLOPEN_FAILED the native addon it.node is not simulated',
      'the native addon it.node',
    ])
  })

  it('is done without by packages that can, as where it was not built', async () => {
    const files = {
      'layer.ts': giving('dep', "import dep from 'dep'"),
      ...installed('dep', "module.exports = 'JavaScript'\ntry { module.exports = require('native') } catch {}"),
      ...addon,
    }
    expect(await created('without-addon', files)).toEqual(['JavaScript'])
  })

  it('is not looked for on the machine', async () => {
    const files = {
      'layer.ts': giving('dep', "import dep from 'dep'"),
      ...installed(
        'dep',
        "try { module.exports = require('native') } catch (error) { module.exports = error.message }",
      ),
      ...installed('native', "module.exports = require('node-gyp-build')(__dirname)"),
      ...installed('node-gyp-build', "module.exports = () => require('fs').readFile('/usr/bin/ldd', () => {})"),
    }
    expect(await created('finder', files)).toEqual(['the native addon native.node is not simulated'])
  })
})
