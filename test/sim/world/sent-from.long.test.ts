/**
 * The source lines that commands and effects come from. The adapters are files with one marked line
 * each.
 */
import fs from 'node:fs'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { beforeAll, describe, expect, it } from 'vitest'
import { loadImplementation } from '../../../src/sim/adapters/load-implementation.ts'
import { AdapterLab } from '../adapters/adapter-lab.ts'
import { type Play, type Played, play } from '../world-lab.ts'

const lab = new AdapterLab()
const installed = fileURLToPath(new URL('../../../node_modules', import.meta.url))

/** Foreign packages, beside the installed ones. */
const packages: Record<string, string> = {
  'in-turns': `
    exports.later = (redis, key) => new Promise((resolve, reject) => {
      setTimeout(() => redis.get(key).then(resolve, reject), 5)
    })
    exports.chained = (redis, key) => Promise.resolve().then(() => null).then(() => redis.get(key))`,
  'many-at-once': `
    const net = require('node:net')
    exports.connect = (host, port) => {
      const socket = net.connect(port, host)
      const waiting = []
      const flush = () => socket.write(waiting.splice(0).map((words) => '*' + words.length + '\\r\\n' + words.map((word) => '$' + word.length + '\\r\\n' + word + '\\r\\n').join('')).join(''))
      return { queue: (...words) => { waiting.push(words) }, now: (...words) => { waiting.push(words); flush() } }
    }`,
}

beforeAll(() => {
  for (const [name, code] of Object.entries(packages)) {
    const folder = path.join(lab.folder, 'node_modules', name)
    fs.mkdirSync(folder, { recursive: true })
    fs.writeFileSync(path.join(folder, 'package.json'), JSON.stringify({ name, version: '1.0.0' }))
    fs.writeFileSync(path.join(folder, 'index.js'), code)
  }
  for (const name of ['ioredis', 'ioredis4', 'ioredis5', 'iovalkey', 'redis'])
    fs.symlinkSync(path.join(installed, name), path.join(lab.folder, 'node_modules', name))
})

/** Plays an adapter with these files. The first one is the adapter. */
async function played(name: string, files: Record<string, string>, options: Play = {}): Promise<Played> {
  const file = lab.adapter(name, { ...files, 'package.json': '{}' })
  return play(await loadImplementation(file), { positions: true, ...options })
}

/** The source line of the only GET. */
const getFrom = (run: Played) => run.of('command').find(({ command }) => /^get /i.test(command))?.sentFrom

/** The line that ends with that mark. */
function marked(files: Record<string, string>, file: string, mark = '// here') {
  const lines = files[file]!.split('\n')
  return { file, line: lines.findIndex((line) => line.includes(mark)) + 1 }
}

const done = "return { status: 'done', result: null }"

/** An adapter with a client of that package, whose handler runs this code. */
const onIoredis = (handling: string, { from = 'ioredis', before = '' } = {}) => `
import { Redis } from '${from}'
${before}
interface Given { redis: { options: object }; sink: { perform(request: object): Promise<unknown> } }
type Typed = { key: string; payload: unknown }

export default {
  id: 'layer',
  create({ redis: { options }, sink }: Given) {
    const redis = new Redis(options)
    return {
      async handle({ key, payload }: Typed) {
        ${handling}
        ${done}
      },
    }
  },
}
`

describe('a command', () => {
  it.each(['ioredis', 'redis'])('belongs to no attempt if `create` sends it at any time: %s', async (from) => {
    const client = {
      ioredis: `import { Redis } from 'ioredis'\nconst connect = ({ options }) => new Redis(options)`,
      redis: `import { createClient } from 'redis'
const connect = ({ url }) => {
  const client = createClient({ url })
  client.connect()
  return client
}`,
    }[from]
    const files = {
      'layer.ts': `
${client}
export default {
  id: 'layer',
  create({ redis: given }) {
    const redis = connect(given)
    redis.set('of-create', '1')
    return {
      async handle({ key }) {
        await redis.set(key, '1')
        ${done}
      },
    }
  },
}`,
    }
    const sets = (await played(`start-${from}`, files)).of('command').filter(({ command }) => /^set /i.test(command))
    expect(sets.map(({ command, ofStart = false }) => [command.split(' ')[1], ofStart])).toEqual([
      ['of-create', true],
      ['order-1', false],
    ])
  })
})

describe('the source line of a command', () => {
  it.each(['ioredis', 'ioredis5', 'ioredis4', 'iovalkey'])(
    'is the call of %s, even if the client sends it later',
    async (from) => {
      const imported = from === 'ioredis4' ? `import Redis from '${from}'` : `import { Redis } from '${from}'`
      const files = {
        'layer.ts': onIoredis('await redis.get(key) // here\n await redis.set(key, "1") // set', { from }).replace(
          /import \{ Redis.*/,
          imported,
        ),
      }
      const run = await played(from, files)
      expect(getFrom(run)).toEqual(marked(files, 'layer.ts'))
      expect(run.of('command').find(({ command }) => /^set/i.test(command))?.sentFrom).toEqual(
        marked(files, 'layer.ts', '// set'),
      )
    },
  )

  it('is the call of node-redis, which writes all commands of a round together', async () => {
    const files = {
      'layer.ts': `
import { createClient } from 'redis'
export default {
  id: 'layer',
  async create({ redis: { url } }) {
    const client = createClient({ url })
    await client.connect()
    return {
      async handle({ key }) {
        await Promise.all([
          client.get(key), // here
          client.set(key, '1'), // set
        ])
        ${done}
      },
    }
  },
}`,
    }
    const run = await played('node-redis', files)
    expect(getFrom(run)).toEqual(marked(files, 'layer.ts'))
    expect(run.of('command').find(({ command }) => /^set/i.test(command))?.sentFrom).toEqual(
      marked(files, 'layer.ts', '// set'),
    )
  })

  it('is in the file of the user’s deepest call', async () => {
    const files = {
      'src/layer.ts': onIoredis('await look(redis, key)', { before: "import { look } from './helpers/look.ts'" }),
      'src/helpers/look.ts':
        '// A comment.\ninterface Client { get(key: string): Promise<unknown> }\nexport const look = (redis: Client, key: string) =>\n  redis.get(key) // here\n',
    }
    expect(getFrom(await played('helper', files))).toEqual(marked(files, 'src/helpers/look.ts'))
  })

  it.each([
    ['an await', 'await null; await new Promise((resolve) => setTimeout(resolve, 3)); await redis.get(key) // here'],
    ['a then', 'await Promise.resolve().then(() => redis.get(key)) // here'],
    ['a timer', 'await new Promise((resolve) => setTimeout(() => resolve(redis.get(key)), 3)) // here'],
    [
      'an event',
      "await new Promise((resolve) => new EventEmitter().on('x', () => resolve(redis.get(key))).emit('x')) // here",
    ],
    ['nextTick', 'await new Promise((resolve) => process.nextTick(() => resolve(redis.get(key)))) // here'],
    ['a pipeline', 'const batch = redis.pipeline().get(key) // here\n await batch.exec()'],
    ['a transaction', 'const batch = redis.multi().get(key) // here\n await batch.exec()'],
  ])('is found after %s', async (what, handling) => {
    const files = { 'layer.ts': onIoredis(handling, { before: "import { EventEmitter } from 'node:events'" }) }
    expect(getFrom(await played(what.replaceAll(' ', '-'), files))).toEqual(marked(files, 'layer.ts'))
  })

  it.each(['later', 'chained'])(
    'is that of the adapter if a package sends the command in its own turn: %s',
    async (name) => {
      const files = {
        'layer.ts': onIoredis(`await ${name}(redis, key) // here`, { before: `import { ${name} } from 'in-turns'` }),
      }
      expect(getFrom(await played(name, files))).toEqual(marked(files, 'layer.ts'))
    },
  )

  it('is found in CommonJS modules, strict or not', async () => {
    for (const mode of ['', "'use strict'"]) {
      const files = {
        'layer.cjs': `
const { Redis } = require('ioredis')
const { look } = require('./look.cjs')
module.exports = {
  id: 'layer',
  create: ({ redis: { options } }) => {
    const redis = new Redis(options)
    return {
      async handle({ key }) {
        await look(redis, key)
        ${done}
      },
    }
  },
}`,
        'look.cjs': `${mode}\nexports.look = async (redis, key) => {\n  await redis.get(key) // here\n}\n`,
      }
      expect(getFrom(await played(`common${mode.length}`, files))).toEqual(marked(files, 'look.cjs'))
    }
  })

  const raw = (work: string) => `
import net from 'node:net'
import { connect } from 'many-at-once'
const resp = (...words) => \`*\${words.length}\\r\\n\${words.map((word) => \`$\${word.length}\\r\\n\${word}\\r\\n\`).join('')}\`
export default {
  id: 'layer',
  create: ({ redis: { options: { host, port } } }) => ({
    async handle({ key }) {
      ${work}
      await new Promise((resolve) => setTimeout(resolve, 20))
      ${done}
    },
  }),
}`
  const socket = "const socket = net.connect(port, host); await new Promise((resolve) => socket.on('connect', resolve))"

  it('is the write to a socket for an unknown client', async () => {
    const files = { 'layer.js': raw(`${socket}\n socket.write(resp('GET', key)) // here`) }
    expect(getFrom(await played('socket', files))).toEqual(marked(files, 'layer.js'))
  })

  it('is missing if an unknown client writes commands of several callers together', async () => {
    const begun = 'const client = connect(host, port); await new Promise((resolve) => setTimeout(resolve, 20))'
    const together = { 'layer.js': raw(`${begun}\n client.queue('SET', key, '1')\n client.now('GET', key) // here`) }
    const alone = { 'layer.js': raw(`${begun}\n client.now('GET', key) // here`) }
    const run = await played('together', together)
    expect(run.of('command')).toHaveLength(2)
    expect(run.of('command').map(({ sentFrom }) => sentFrom)).toEqual([undefined, undefined])
    expect(getFrom(await played('alone', alone))).toEqual(marked(alone, 'layer.js'))
  })

  it('is not that of an equal command that was never executed', async () => {
    const files = {
      'layer.ts': onIoredis(`
        const tried = await redis.get(key).catch(() => 'lost') // first
        if (tried === 'lost') await redis.get(key) // here`).replace(
        'new Redis(options)',
        'new Redis({ ...options, maxRetriesPerRequest: 0 })',
      ),
    }
    const fault = { kind: 'lost-request', when: { at: 'command-unexecuted', consumer: 0, nth: 1 } } as const
    const cut = await played('lost', files, { faults: [fault] })
    const spared = await played('lost', files)
    expect(cut.of('request-lost')).toHaveLength(1)
    expect(getFrom(cut)).toEqual(marked(files, 'layer.ts'))
    expect(getFrom(spared)).toEqual(marked(files, 'layer.ts', '// first'))
  })
})

describe('the source line of an effect', () => {
  it('is the call of the sink, with and without work around it', async () => {
    const files = { 'layer.ts': onIoredis('await sink.perform({ key, payload }) // here') }
    for (const work of [undefined, { beforeMs: 5, afterMs: 5 }]) {
      const run = await played('effect', files, work === undefined ? {} : { work })
      expect(run.of('effect-sent').map(({ sentFrom }) => sentFrom)).toEqual([marked(files, 'layer.ts')])
    }
  })
})

describe('source lines', () => {
  const files = { 'layer.ts': onIoredis('await redis.get(key)\n await sink.perform({ key, payload })') }

  it('change no digest, and are only in runs that request them', async () => {
    const noted = await played('noted', files)
    for (const options of [{ record: false }, { positions: false }, { scrutinise: true, positions: false }]) {
      const run = await played('noted', files, options)
      expect(run.digest).toBe(noted.digest)
      if (run.historyDigest !== null) expect(run.historyDigest).toBe(noted.historyDigest)
      expect(JSON.stringify(run.history)).not.toContain('sentFrom')
    }
    expect(noted.of('effect-sent')[0]!.sentFrom).toBeDefined()
  })

  it('do not affect a store of AsyncLocalStorage of the layer', async () => {
    const files = {
      'layer.ts': `
import { AsyncLocalStorage } from 'node:async_hooks'
const storage = new AsyncLocalStorage()
const find = () => new Promise((resolve) => setTimeout(() => resolve(storage.getStore() ?? 'no store'), 5))
export default {
  id: 'stores',
  about: '',
  create: ({ sink }) => ({
    handle: ({ key }) => storage.run(key, async () => {
      const payload = await find()
      await sink.perform({ key, payload })
      return { status: 'done', result: payload }
    }),
  }),
}`,
    }
    const noted = await played('stores', files)
    expect(noted.of('effect-sent')).toMatchObject([{ fingerprint: '"order-1"' }])
    for (const options of [{ record: false }, { positions: false }]) {
      const run = await played('stores', files, options)
      expect(run.of('effect-sent')).toMatchObject([{ fingerprint: '"order-1"' }])
      expect(run.digest).toBe(noted.digest)
    }
  })

  it('do not affect the stacks of the layer', async () => {
    const asked = `if (Error.stackTraceLimit !== ${Error.stackTraceLimit}) throw new Error('a longer stack')\n await redis.get(key)`
    const run = await played('stacks', { 'layer.ts': onIoredis(asked) })
    expect(run.of('threw')).toEqual([])
    expect(run.of('answered')).toHaveLength(1)
  })
})
