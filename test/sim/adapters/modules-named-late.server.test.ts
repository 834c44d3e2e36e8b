import { execFileSync } from 'node:child_process'
import path from 'node:path'
import { describe, expect, it } from 'vitest'
import { Lab } from '../../../packages/virtual-node/test/lab.ts'
import { LoadError, loadImplementation } from '../../../src/sim/adapters/load-implementation.ts'
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
  it('loads modules once for each process', async () => {
    const files = {
      'layer.ts': giving("[load('./counter.cjs').count(), load(['.', 'counter.cjs'].join('/')).count()]", requireHere),
      'counter.cjs': counter,
    }
    expect(await created('create-require', files, two)).toEqual([
      [1, 2],
      [1, 2],
    ])
  })

  it('returns the same module as an import of the same file', async () => {
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

  it('resolves modules by the conditions of `require`, from its own file', async () => {
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

  it('returns Node’s own modules as the process sees them', async () => {
    const files = {
      'layer.ts': giving("load('node:os').hostname() === os.hostname()", `${requireHere}\nimport os from 'os'`),
    }
    expect(await created('builtin', files, two)).toEqual([true, true])
  })

  it('throws like Node for a missing module and an invalid path', async () => {
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

it('Node’s own loader, found around the `require` of the process, is refused by name', async () => {
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

  it('works if `require` is passed on, and in a `try`', async () => {
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

  it('resolves modules, with literal and computed names', async () => {
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

  it('is unsupported by name if its file cannot be compiled', async () => {
    const files = { 'layer.ts': giving("load('./broken' + '.cjs')", requireHere), 'broken.cjs': 'const = 5' }
    const [error, unsupported] = (await created('broken', files)) as [string, string]
    expect(error).toMatch(/^SyntaxError/)
    expect(unsupported).toMatch(/^the module broken\.cjs, which the code names at run time: .*broken\.cjs:1\)/)
  })
})

describe('an indirect `require`', () => {
  /** The result of the same files in Node. */
  function inNode(name: string, file: string): unknown {
    const code = `process.stdout.write(JSON.stringify(require(${JSON.stringify(path.join(lab.folder, name, file))})))`
    return JSON.parse(execFileSync(process.execPath, ['-e', code], { encoding: 'utf8' }))
  }

  const hidden: Record<string, string> = {
    // protobufjs does so.
    evaluated: `const ask = eval('quire'.replace(/^/, 're'))
module.exports = [ask('dep').name, ask('./near').name, require('./near') === ask('./near.js'), (() => {
  try { return ask('nowhere') } catch (error) { return error.code } })()]`,
    'of-module': "module.exports = [module.require('dep').name, module['require']('./near').name]",
    evaluatedStrict: `'use strict'
exports.near = eval("require('./near').name + require('path').sep")`,
  }
  for (const [name, source] of Object.entries(hidden))
    it(`loads the same as in Node: ${name}`, async () => {
      const files = {
        'layer.ts': giving('asking', "import asking from 'asking'"),
        ...installed('asking', source),
        'node_modules/asking/near.js': "exports.name = 'near'",
        ...installed('dep', "exports.name = 'above'"),
        'node_modules/asking/node_modules/dep/index.js': "exports.name = 'below'",
      }
      const [got, ...unsupported] = await created(name, files)
      expect(got).toEqual(inNode(name, 'node_modules/asking'))
      expect(unsupported).toEqual([])
    })

  it('is refused by name in an ES module, which has none in Node', async () => {
    const files = {
      'layer.ts': giving("eval('require')('dep')"),
      ...installed('dep', counter),
    }
    expect(await created('found', files)).toEqual([
      'Error undefined the module dep, required outside a module, is not simulated',
      'the module dep, required outside a module',
    ])
  })
})

describe('the location of a module', () => {
  const lookingUp = (names: string) => ({
    'layer.ts': giving(`dep(${names})`, "import dep from 'dep'"),
    'package.json': '{}',
    ...installed(
      'dep',
      `const path = require('path')
module.exports = (...names) => names.map((name) => {
  try { return path.relative(__dirname, require.resolve(name)) } catch (error) { return error.code } })`,
    ),
    'node_modules/dep/near.js': '',
  })

  it('is in the digest: the same in another folder, different once the module has moved', async () => {
    const names = "'./near', 'dep', './none', 'nowhere', '/app/package.json'"
    const [one, two] = [lookingUp(names), lookingUp(names)]
    const read = async (name: string, its: Record<string, string>) => {
      const loaded = await loadImplementation(lab.adapter(name, its))
      const world = new Lab(1, loaded.path)
      let got: unknown
      world.start(async () => (got = await (await loaded.instantiate('consumer-1', true)).create(null as never)))
      await world.run()
      return { got, filesRead: world.filesRead, unsupported: world.unsupportedThings }
    }
    const first = await read('places-one', one)
    const app = path.relative(path.join(lab.folder, 'places-one/node_modules/dep'), '/app/package.json')
    expect(first).toMatchObject({
      got: ['near.js', 'index.js', 'MODULE_NOT_FOUND', 'MODULE_NOT_FOUND', app],
      unsupported: [],
    })
    expect(first.filesRead).toHaveLength(5)
    const second = await read('places-two', two)
    expect(second.filesRead).toEqual(first.filesRead)
    const moved = await read('places-three', { ...two, 'node_modules/dep/none.js': '' })
    expect(moved.filesRead[2]).not.toBe(first.filesRead[2])
    expect(moved.filesRead.filter((_, at) => at !== 2)).toEqual(first.filesRead.filter((_, at) => at !== 2))
  })

  it('is refused by name if the process may not look there', async () => {
    const [got, ...unsupported] = await created('places-outside', lookingUp("'/etc/hosts', '../../../../x'"))
    expect(got).toEqual(['ERR_NOT_SIMULATED', 'ERR_NOT_SIMULATED'])
    expect(unsupported).toHaveLength(2)
    expect(unsupported[0]).toContain('require.resolve of /etc/hosts, outside the packages')
    const [error, what] = await created('places-inside', {
      'layer.ts': giving("Module._resolveFilename('/etc/hosts')", "import Module from 'node:module'"),
    })
    expect([error, what]).toEqual([
      'NotSimulatedError ERR_NOT_SIMULATED module._resolveFilename is not simulated',
      'module._resolveFilename, which reads the disk (layer.ts:4)',
    ])
  })

  it('is searched in the folders of Node, on the machine that the process sees', async () => {
    const paths = "createRequire('/app/src/layer.js').resolve.paths('dep')"
    const got = await created('paths', { 'layer.ts': giving(paths, "import { createRequire } from 'node:module'") })
    const global = ['/home/app/.node_modules', '/home/app/.node_libraries', '/usr/local/lib/node']
    expect(got).toEqual([['/app/src/node_modules', '/app/node_modules', '/node_modules', ...global]])
  })
})

describe('import() while a message is handled', () => {
  it('returns a module of the process', async () => {
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

  it('returns Node’s own modules, with literal and computed names', async () => {
    const files = {
      'layer.ts': giving(
        "[(await import('node:os')).hostname() === os.hostname(), (await import(['node:', 'os'].join(''))).default.hostname() === os.hostname()]",
        "import os from 'node:os'",
      ),
    }
    expect(await created('import-builtin', files)).toEqual([[true, true]])
  })

  it('returns the same as a static import of the same file, by the conditions of `import`', async () => {
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

  it('rejects like Node for a missing module', async () => {
    const files = {
      'layer.ts': giving(
        "[await import('nowhere').catch(code), await import(['no', 'where'].join('')).catch(code)]",
        'const code = (error) => error.code',
      ),
    }
    expect(await created('import-nowhere', files)).toEqual([['ERR_MODULE_NOT_FOUND', 'ERR_MODULE_NOT_FOUND']])
  })

  it('waits for a module with top-level await, in virtual time', async () => {
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
  it('is caught by its `require`, as in Node', async () => {
    const files = {
      'layer.ts': giving('dep', "import dep from 'dep'"),
      // As in redis-parser: the file that requires it is in the `try`.
      ...installed(
        'dep',
        "let how = 'in JavaScript'\ntry { how = require('./native') } catch (error) { how += ' ' + error.code }\nmodule.exports = how",
      ),
      'node_modules/dep/native.js': "module.exports = require('hiredis')",
    }
    expect(await created('optional', files)).toEqual(['in JavaScript MODULE_NOT_FOUND'])
  })

  it('is used if it is installed', async () => {
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

  it('is refused by name, with exit code 4', async () => {
    const file = lab.adapter('addon', { 'layer.ts': giving('native', "import native from 'native'"), ...addon })
    const error = await loadImplementation(file).catch((thrown) => thrown)
    expect(error).toBeInstanceOf(LoadError)
    expect(error).toMatchObject({ culprit: file, kind: 'not-simulated' })
    expect(error.remedy).toMatch(/^loading it needs an unsupported feature \(the native addon it\.node of native\)/)
  })

  it('is refused by name if a package has nothing else', async () => {
    const nothingElse = {
      'node_modules/bare/package.json': JSON.stringify({ name: 'bare', version: '1.0.0', main: 'bare.x64.node' }),
      'node_modules/bare/bare.x64.node': 'ELF',
    }
    const file = lab.adapter('bare', { 'layer.ts': giving('bare', "import bare from 'bare'"), ...nothingElse })
    const error = await loadImplementation(file).catch((thrown) => thrown)
    expect(error).toMatchObject({ culprit: file, kind: 'not-simulated' })
    expect(error.remedy).toMatch(
      /^loading it needs an unsupported feature \(the native addon bare\.x64\.node of bare\)/,
    )
  })

  it('is refused by the name of its package if the build for this platform is missing', async () => {
    const required = (name: string) => `try { require('${name}') } catch (error) { throw error }`
    for (const [id, build, kind] of [
      ['not-built', 'native-linux-x64-musl', 'not-simulated'],
      ['not-there', 'native-linux', 'unusable'],
    ] as const) {
      const files = {
        'layer.ts': giving('native', "import native from 'native'"),
        ...installed('native', required(build)),
      }
      const error = await loadImplementation(lab.adapter(id, files)).catch((thrown) => thrown)
      expect(error.kind).toBe(kind)
      expect(error.remedy).toContain(kind === 'not-simulated' ? '(the native addon of native)' : `it needs "${build}"`)
    }
  })

  it('is refused by name while a message is handled', async () => {
    const files = { 'layer.ts': giving("load('native')", requireHere), ...addon }
    expect(await created('late-addon', files)).toEqual([
      'Error ERR_DLOPEN_FAILED the native addon it.node of native is not simulated',
      'the native addon it.node of native',
    ])
  })

  it('is replaced by packages that can work without it', async () => {
    const files = {
      'layer.ts': giving('dep', "import dep from 'dep'"),
      ...installed('dep', "module.exports = 'JavaScript'\ntry { module.exports = require('native') } catch {}"),
      ...addon,
    }
    expect(await created('without-addon', files)).toEqual(['JavaScript'])
  })

  it('is not searched on the machine', async () => {
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
