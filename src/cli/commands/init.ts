import fs from 'node:fs'
import path from 'node:path'
import { quoted } from '../../campaign/replay-command.ts'
import { launcher } from '../../launcher.ts'
import { makeFolder } from '../make-folder.ts'
import type { Output } from '../output.ts'
import { UsageError } from '../usage-error.ts'

/** `init <file>`: never writes over anything. */
export function writeAdapter(file: string, output: Output): void {
  if (!/\.[cm]?[jt]s$/.test(file)) throw new UsageError(file, 'give the file an ending that Node knows, such as .ts')
  const id = path.basename(file).replace(/\.[^.]+$/, '')
  makeFolder(path.dirname(file))
  try {
    fs.writeFileSync(file, template(id), { flag: 'wx' })
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
    throw new UsageError(file, 'it exists; choose another name, or remove it first')
  }
  const named = /^[./]/.test(file) ? file : `./${file}`
  output.line(`written: ${file}`)
  output.line(`try it: ${launcher()} --impl ${quoted(named)}`)
}

/** A lock with an expiry and a mark: what many start from, and what a campaign takes apart. */
function template(id: string): string {
  return `// An adapter: your idempotency layer, wrapped for onceproof. Put your own code into \`handle\`.
import { Redis } from 'ioredis'
import { defineImplementation } from 'onceproof'

export default defineImplementation({
  id: ${JSON.stringify(id)},
  about: 'A lock that expires, and a mark when the work is done.',

  // Called once for each simulated process.
  create({ redis, instanceId, leaseMs, retentionMs, sink }) {
    const client = new Redis(redis.options)
    return {
      // Called once for each delivery. \`sink.perform\` is the effect that may happen only once for each key.
      async handle(message) {
        const done = \`done:\${message.key}\`
        const lock = \`lock:\${message.key}\`
        const stored = await client.get(done)
        if (stored !== null) return { status: 'done', result: JSON.parse(stored) }
        const locked = await client.set(lock, instanceId, 'PX', leaseMs, 'NX')
        if (locked === null) return { status: 'retry' }
        const receipt = await sink.perform({ key: message.key, payload: message.payload })
        await client.set(done, JSON.stringify(receipt), 'PX', retentionMs)
        await client.del(lock)
        return { status: 'done', result: receipt }
      },
      close: () => client.disconnect(),
    }
  },
})
`
}
