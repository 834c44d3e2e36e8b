/**
 * A token replays to the same violation after edits that leave the commands of the layer alone.
 * After other edits, the replay reports where the run leaves the recording.
 */
import fs from 'node:fs'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { beforeAll, describe, expect, it } from 'vitest'
import { findCounterexample } from '../../src/campaign/explain/counterexample.ts'
import { loadPair } from '../../src/campaign/play/load-pair.ts'
import { runChunk } from '../../src/campaign/play/run-chunk.ts'
import { type PairTask, shrinkTask } from '../../src/campaign/play/tasks.ts'
import { leavingOf, replayRun } from '../../src/campaign/replay/replay.ts'
import { decodeToken, encodeToken, type RecordedRun } from '../../src/campaign/token/token.ts'
import type { CampaignDeps } from '../../src/campaign/types.ts'
import { createDeps } from '../../src/cli/create-deps.ts'
import { temporaryFolder } from '../cli/run-cli.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))
const deps: CampaignDeps = createDeps(() => false)

interface Pattern {
  readonly id: string
  readonly scenario: string
  /** Replacements in the source, by the name of the edit. */
  readonly edits: Readonly<Record<string, readonly (readonly [string, string])[]>>
  /** An edit that sends one more command. */
  readonly another: readonly [string, string]
  readonly leavesAt: RegExp
}

const patterns: readonly Pattern[] = [
  {
    id: '001-get-set',
    scenario: 'lost-reply',
    edits: {
      rename: [
        ['const client =', 'const connection ='],
        ['client.', 'connection.'],
      ],
      extract: [
        ['export default', 'const markOf = (key: string) => `idempotency:${key}`\n\nexport default'],
        ['`idempotency:${message.key}`\n', 'markOf(message.key)\n'],
      ],
      'an extra await': [['const mark =', 'await null\n        const mark =']],
      log: [['const mark =', "console.log('handles', message.key)\n        const mark ="]],
      comment: [['const mark =', '// The mark of the message.\n\n\n        const mark =']],
      'reordered imports': [
        ["import { Redis } from 'ioredis'\n", ''],
        ["api/implementation.ts'\n", "api/implementation.ts'\nimport { Redis } from 'ioredis'\n"],
      ],
      'a split file': [['const markSeconds = 86_400', "import { markSeconds } from './mark-seconds.ts'"]],
      class: [
        [
          'export default',
          'class Marks {\n  constructor(readonly redis: Redis) {}\n  read(mark: string) {\n    return this.redis.get(mark)\n  }\n}\n\nexport default',
        ],
        ['await client.get(mark)', 'await new Marks(client).read(mark)'],
      ],
      'a default': [
        [
          'export default',
          'const write = (client: Redis, mark: string, seconds = markSeconds) => client.set(mark, "1", "EX", seconds)\n\nexport default',
        ],
        ["client.set(mark, '1', 'EX', markSeconds)", 'write(client, mark)'],
      ],
      'an early return': [
        [
          "if (await client.get(mark)) return { status: 'done', result: null }",
          "const found = await client.get(mark)\n        if (found !== null && found !== '') {\n          return { status: 'done', result: null }\n        }",
        ],
      ],
    },
    another: ['const receipt =', 'await client.exists(mark)\n        const receipt ='],
    leavesAt: /^\d+ of \d+ steps; diverged at .*(EXISTS|GET|request to the sink)/,
  },
  {
    id: '002-owner-token',
    scenario: 'only-pauses',
    edits: {
      rename: [['stillOwner', 'stillMine']],
      extract: [
        [
          '/** The two steps, which',
          'const nameOf = (key: string) => `idempotency:v1:${key}`\n\n/** The two steps, which',
        ],
        ['const name = `idempotency:v1:${key}`', 'const name = nameOf(key)'],
      ],
      'an extra await': [['const receipt =', 'await Promise.resolve()\n          const receipt =']],
      log: [['const receipt =', "console.error('acts for', key)\n          const receipt ="]],
      comment: [['const receipt =', '/* acts */\n          const receipt =']],
      'reordered imports': [
        ["import { randomUUID } from 'node:crypto'\n", ''],
        ["client-of.ts'\n", "client-of.ts'\nimport { randomUUID } from 'node:crypto'\n"],
      ],
      'a split file': [
        ['const recordSeconds = 86_400', "import { markSeconds as recordSeconds } from './mark-seconds.ts'"],
      ],
      class: [
        [
          '/** The two steps, which',
          'class Names {\n  of(key: string) {\n    return `idempotency:v1:${key}`\n  }\n}\n\n/** The two steps, which',
        ],
        ['const name = `idempotency:v1:${key}`', 'const name = new Names().of(key)'],
      ],
      'a default': [
        [
          '/** The two steps, which',
          'const nameOf = (key: string, version = 1) => `idempotency:v${version}:${key}`\n\n/** The two steps, which',
        ],
        ['const name = `idempotency:v1:${key}`', 'const name = nameOf(key)'],
      ],
      'an early return': [
        [
          "return stillOwner ? { status: 'done', result: receipt } : nothing",
          "if (!stillOwner) return nothing\n          return { status: 'done', result: receipt }",
        ],
      ],
    },
    another: ['const receipt =', 'await client.exists(name)\n          const receipt ='],
    leavesAt: /^\d+ of \d+ steps; diverged at .*(EXISTS|request to the sink)/,
  },
]

describe.each(patterns)('a token of $id', ({ id, scenario, edits, another, leavesAt }) => {
  const source = fs.readFileSync(path.join(root, `implementations/articles/${id}.ts`), 'utf8')
  const scenarioPath = path.join(root, `scenarios/${scenario}.ts`)
  const folder = temporaryFolder()
  let recorded: RecordedRun
  let way: string

  function edited(name: string, changes: readonly (readonly [string, string])[]): string {
    let text = source
      .replaceAll("'../../src/", `'${root}src/`)
      .replaceAll("'../parts/", `'${root}implementations/parts/`)
    for (const [from, to] of changes) {
      expect(text).toContain(from)
      text = text.replaceAll(from, to)
    }
    const file = path.join(folder, `${name.replaceAll(' ', '-')}.ts`)
    fs.writeFileSync(path.join(folder, 'mark-seconds.ts'), 'export const markSeconds = 86_400\n')
    fs.writeFileSync(file, text)
    return file
  }

  async function replayed(name: string, changes: readonly (readonly [string, string])[]) {
    const pair = await loadPair({ scenarioPath, implementationPath: edited(name, changes) }, deps)
    return replayRun(pair, recorded, recorded, { command: '', madeFrom: null, pictured: false }, deps)
  }

  beforeAll(async () => {
    if (!fs.existsSync(path.join(folder, 'node_modules')))
      fs.symlinkSync(path.join(root, 'node_modules'), path.join(folder, 'node_modules'))
    const task: PairTask = {
      scenarioPath,
      scenarioName: scenario,
      implementationPath: edited('as it is', []),
      implementationName: id,
      sink: 'plain',
      seed: 1,
      fresh: false,
    }
    const tally = await runChunk({ ...task, from: 0, to: 20, bail: false }, deps)
    const [seen] = [...tally.paths.values()]
    if (seen === undefined) throw new Error(`${id} broke in no run`)
    const found = await findCounterexample(shrinkTask(task, seen, { mode: 'story', budget: 20_000 }), deps)
    const decoded = decodeToken(encodeToken(found.recorded)!)
    if (!decoded.ok) throw new Error(decoded.problem)
    recorded = decoded.run
    way = `${seen.invariant} ${seen.kind}`
  }, 120_000)

  it.each(Object.keys(edits))('replays to the same violation after %s', async (name) => {
    const { pair, followed, exitCode } = await replayed(name, edits[name]!)
    expect(followed).toEqual({ n: recorded.stepCount, of: recorded.stepCount, leftAt: null })
    expect(pair.violations.map(({ invariant, kind }) => `${invariant} ${kind}`)).toContain(way)
    expect(exitCode).toBe(1)
  })

  it('reports where a layer with another command leaves the recording', async () => {
    const { followed } = await replayed('another command', [another])
    expect(followed.n).toBeLessThan(followed.of)
    expect(leavingOf(followed)).toMatch(leavesAt)
  })
})
