/** `once …`: the records of `onceproof/once` in production, for an operator. */
import { createHash } from 'node:crypto'
import fs from 'node:fs'
import { quoted } from '../../campaign/token/replay-command.ts'
import { type ExitCode, exitCodes } from '../../contract/api/exit-codes.ts'
import { launcher } from '../../contract/results/launcher.ts'
import { elapsedText } from '../../contract/results/time-text.ts'
import { type DeployedLayer, type Deployment, deploymentAt } from '../../impl/deployment.ts'
import { needDoubt } from '../../impl/in-doubt.ts'
import {
  adopt,
  createOnce,
  createOnceTables,
  type KeyInDoubt,
  type KeyStatus,
  type Once,
  type Settlement,
} from '../../impl/once.ts'
import { defaults, prefixOf } from '../../impl/options.ts'
import { SchemaError } from '../../impl/postgres/schema.ts'
import { tablesOf } from '../../impl/postgres/sql.ts'
import type { OptionsOf } from '../command-table.ts'
import { type RecordsAt, recordsAt } from '../once-server.ts'
import type { Output } from '../output.ts'
import { UsageError } from '../usage-error.ts'

type At = OptionsOf<'once doubts'>

/**
 * `once status [key]`. The document has `key` and the members of `KeyStatus`, with `id` for a
 * doubt; without a key `servers`, `generations`, `completeSince` and `doubts`.
 */
export async function onceStatus(key: string | undefined, options: At, output: Output): Promise<ExitCode> {
  return within('once status', options, async (once, at) => {
    if (key === undefined) return printSummary(once, at, options, output)
    const status = await statusOf(once, key, at, options)
    const lines = linesOf(key, status)
    if (output.json) await output.document({ schemaVersion: 1, key, ...withId(status) })
    else for (const line of lines) output.line(line)
    return status.status === 'unknown' ? exitCodes.usage : exitCodes.ok
  })
}

/** `once doubts`. The document has `doubts`: each `KeyInDoubt` with its `id`. */
export async function onceDoubts(options: At, output: Output): Promise<ExitCode> {
  return within('once doubts', options, async (once, at) => {
    const doubts = await doubtsOf(once, at)
    if (doubts.length === 0) await needRecords(at, options)
    if (output.json)
      await output.document({ schemaVersion: 1, doubts: doubts.map((doubt) => ({ id: idOf(doubt), ...doubt })) })
    else printDoubts(doubts, output)
    return exitCodes.ok
  })
}

/**
 * `once settle <key>`. Settles exactly the doubt that the operator has seen, by its id. The
 * document has `key`, `settlement`, `dryRun` and `status`: that of the key afterwards.
 */
export async function onceSettle(key: string, options: OptionsOf<'once settle'>, output: Output): Promise<ExitCode> {
  const { doubt: id, dryRun = false } = options
  const settlement = settlementOf(options)
  if (id === undefined)
    throw new UsageError('once settle', `give the doubt: --doubt <id>, from \`once status ${quoted(key)}\``)
  // Without a record, only the age of the doubt shows that no later record can have expired.
  if (id.endsWith('.json') && options.retention === undefined)
    throw new UsageError(`--doubt ${id}`, 'a doubt from a file needs the retention of the consumers: --retention 168h')
  return within('once settle', options, async (once, at) => {
    const found = id.endsWith('.json') ? keptDoubt(id, key) : await listedDoubt(once, key, id, at, options)
    const status = dryRun ? 'unchanged' : await settle(once, found, settlement)
    if (output.json) await output.document({ schemaVersion: 1, key, settlement, dryRun, status })
    else output.line(settledLine(key, settlement, status))
    return status === 'unreachable' ? exitCodes.unknown : exitCodes.ok
  })
}

/**
 * `once adopt`. The document has `since`, and on Redis `buckets` and `kept`, the number of those
 * that were in use and are unchanged.
 */
export async function onceAdopt(options: OptionsOf<'once adopt'>, output: Output): Promise<ExitCode> {
  const { since, buckets } = options
  if (since === undefined) throw new UsageError('once adopt', 'give --since 0, if no effect was ever performed')
  const at = await recordsAt('once adopt', options)
  if (at.kind === 'postgres') {
    try {
      await createOnceTables({ ...namespaceOf(options), pool: at.pool, since })
    } catch (error) {
      throw silent(at, error)
    } finally {
      await at.pool.end()
    }
    if (output.json) await output.document({ schemaVersion: 1, since })
    else output.line('the tables and their generation exist; an earlier generation was kept')
    return exitCodes.ok
  }
  const adopted = await adopt({ ...placeOf(options), redis: at.redis, since })
  if (adopted.status === 'unreachable') throw silent(at, adopted.error)
  if (adopted.status === 'in-the-future')
    throw new UsageError(`--since ${timeText(since)}`, 'later than the clock of Redis; give an earlier time')
  const { kept } = adopted
  if (output.json) await output.document({ schemaVersion: 1, since, buckets, kept })
  else if (kept === buckets) output.line(`all ${buckets} buckets are in use already; nothing was changed`)
  else output.line(`${buckets - kept} buckets adopted; ${kept} were in use already, and are unchanged`)
  return exitCodes.ok
}

// The layer.

/** The longest timer of Node: no record is kept for less than its consumers keep it. */
const longestMs = 2 ** 31 - 1

const namespaceOf = ({ namespace }: At) => (namespace === undefined ? {} : { namespace })
const placeOf = ({ namespace, keyPrefix, buckets }: At) => ({
  ...(namespace === undefined ? {} : { namespace }),
  ...(keyPrefix === undefined ? {} : { keyPrefix }),
  buckets,
})

async function within(
  command: string,
  options: At & { readonly retention?: number },
  use: (once: Once, at: RecordsAt) => Promise<ExitCode>,
): Promise<ExitCode> {
  const { retention = longestMs } = options
  const at = await recordsAt(command, options)
  const common = {
    leaseMs: Math.min(longestMs, retention),
    retentionMs: retention,
    sink: { kind: 'plain', settledByHand: true },
  } as const
  const once =
    at.kind === 'redis'
      ? invalidOption(() => createOnce({ ...common, ...placeOf(options), redis: at.redis, replicas: 0 }))
      : invalidOption(() => createOnce({ ...common, ...namespaceOf(options), pool: at.pool }))
  try {
    return await use(once, at)
  } finally {
    once.close()
    if (at.kind === 'postgres') await at.pool.end()
  }
}

/** @throws UsageError if the server does not answer, the key is invalid, or no layer was used */
async function statusOf(once: Once, key: string, at: RecordsAt, options: At): Promise<KeyStatus> {
  const status = await once.status(key).catch((error: unknown) => {
    throw error instanceof TypeError ? new UsageError(JSON.stringify(key), error.message) : error
  })
  if (status.status === 'unreachable') throw silent(at, status.error)
  if (status.status === 'unknown') await needRecords(at, options)
  return status
}

/** @throws UsageError if a server does not answer */
async function doubtsOf(once: Once, at: RecordsAt): Promise<readonly KeyInDoubt[]> {
  const doubts: KeyInDoubt[] = []
  try {
    for await (const doubt of once.doubts()) doubts.push(doubt)
  } catch (error) {
    throw silent(at, error)
  }
  return doubts
}

/** @throws UsageError if no layer with these options was ever used there */
async function needRecords(at: RecordsAt, options: At): Promise<void> {
  if (at.kind === 'redis') await layerAt(at, options) // on PostgreSQL, the tables are checked
}

/** @throws UsageError if no layer has the records, or a server does not answer */
async function layerAt(
  at: Extract<RecordsAt, { kind: 'redis' }>,
  options: At,
): Promise<Deployment & { own: DeployedLayer }> {
  const { buckets } = options
  const prefix = invalidOption(() => prefixOf(options.keyPrefix ?? defaults.keyPrefix, options.namespace ?? ''))
  const deployment = await deploymentAt(at.redis).catch((error: unknown) => {
    throw silent(at, error)
  })
  const named = deployment.layers.filter((layer) => layer.prefix === prefix)
  const own = named.find((layer) => layer.buckets === buckets)
  if (own !== undefined) return { ...deployment, own }
  if (named.length > 0)
    throw new UsageError(`--buckets ${buckets}`, `the records there have ${orOf(named, 'buckets')}; give that number`)
  if (deployment.layers.length > 0)
    throw new UsageError(
      `prefix ${prefix}`,
      `the records there have ${orOf(deployment.layers, 'prefix')}; give --namespace or --key-prefix`,
    )
  throw new UsageError(at.option, 'no records of once; name another server, or run `once adopt` first')
}

const orOf = (layers: readonly DeployedLayer[], member: 'buckets' | 'prefix'): string =>
  [...new Set(layers.map((layer) => layer[member]))].join(' or ')

/** @throws UsageError for an option that the layer refuses */
function invalidOption<T>(make: () => T): T {
  try {
    return make()
  } catch (error) {
    if (!(error instanceof TypeError)) throw error
    const [, culprit = 'once', remedy = error.message] = /^(\w+: .*?|\S+): (.*)$/.exec(error.message) ?? []
    throw new UsageError(culprit, remedy)
  }
}

/** @throws UsageError if the key has no doubt, or another one */
async function listedDoubt(once: Once, key: string, id: string, at: RecordsAt, options: At): Promise<KeyInDoubt> {
  const found = await statusOf(once, key, at, options)
  if (found.status !== 'in-doubt') throw new UsageError(key, `${wordsOf(found)}; there is nothing to settle`)
  if (idOf(found.doubt) === id) return found.doubt
  throw new UsageError(`--doubt ${id}`, `${key} has another doubt now; check the sink again, see \`once status\``)
}

/** A doubt that may have no record. @throws UsageError if the file has no doubt of the key */
function keptDoubt(file: string, key: string): KeyInDoubt {
  const text = fs.readFileSync(file, 'utf8')
  const doubt = parsed(
    text,
    () => new UsageError(file, 'not JSON; give the unchanged `doubt` of an outcome'),
  ) as KeyInDoubt
  if (doubt?.key !== key)
    throw new UsageError(
      file,
      `its doubt is about ${JSON.stringify(doubt?.key)}, not ${key}; give the file of this key`,
    )
  try {
    needDoubt(doubt)
  } catch (error) {
    throw new UsageError(file, (error as Error).message.replace(/^settle: /, ''))
  }
  return doubt
}

function parsed(text: string, problem: () => UsageError): unknown {
  try {
    return JSON.parse(text)
  } catch {
    throw problem()
  }
}

async function settle(once: Once, doubt: KeyInDoubt, settlement: Settlement): Promise<string> {
  const settled = await once.settle(doubt, settlement).catch((error: unknown) => {
    if (error instanceof TypeError) throw new UsageError(doubt.key, error.message)
    throw error
  })
  if (settled.status === 'stale')
    throw new UsageError(doubt.key, 'the doubt has changed, and nothing was written; see `once status`')
  return settled.status
}

/** @throws UsageError for options that do not belong together */
function settlementOf({ applied, barred, highest, settledByHand }: OptionsOf<'once settle'>): Settlement {
  if ((applied === undefined) === (barred === undefined))
    throw new UsageError('once settle', 'give --applied <json> if it happened, or --barred if it never will')
  if (applied !== undefined) {
    if (highest !== undefined) throw new UsageError('--highest', 'it belongs to --barred; remove it')
    const problem = () =>
      new UsageError(`--applied ${applied}`, `not JSON; give null, or a result such as '{"id":"ch_1"}'`)
    return { status: 'applied', result: parsed(applied, problem) }
  }
  if (settledByHand !== true)
    throw new UsageError('--barred', 'if every consumer has settledByHand or reconcile, add --settled-by-hand')
  return { status: 'barred', ...(highest === undefined ? {} : { highest }) }
}

/** Distinguishes a doubt from every other one of its key, also after a possible loss of data. */
function idOf(doubt: KeyInDoubt): string {
  return createHash('sha256').update(JSON.stringify(doubt)).digest('hex').slice(0, 12)
}

function silent({ option }: RecordsAt, error: unknown): UsageError {
  const { message } = error as Error
  if (error instanceof SchemaError) return new UsageError(option, message)
  return new UsageError(
    option,
    `no answer (${message || (error as { code?: string }).code}); start it, or name another`,
  )
}

// The text.

const withId = (status: KeyStatus) => (status.status === 'in-doubt' ? { ...status, id: idOf(status.doubt) } : status)

function wordsOf(status: KeyStatus): string {
  switch (status.status) {
    case 'done':
      return `done, with result ${JSON.stringify(status.result)}`
    case 'done-unkept':
      return `done, without its result: ${status.unkept}`
    case 'refused':
      return `refused: ${status.error}`
    case 'held':
      return `held for another ${elapsedText(status.leftMs)}, ${status.begun ? 'and begun' : 'not begun yet'}`
    case 'in-doubt':
      return `in doubt: it is unknown whether its effect happened`
    case 'open':
      return 'open: the next delivery performs the effect'
    case 'failed':
      return `failed after ${status.attempts} attempts`
    case 'unknown':
      return `no record; check the key${status.since ? `, or its message is from before ${timeText(status.since)}` : ''}`
    case 'unreachable':
      return 'no answer'
  }
}

function linesOf(key: string, status: KeyStatus): readonly string[] {
  const line = `${key}: ${wordsOf(status)}`
  if (status.status !== 'in-doubt') return [line]
  const id = idOf(status.doubt)
  return [line, ...aboutDoubt(status.doubt), `check the sink for the key, and then: ${settleCommand(quoted(key), id)}`]
}

function aboutDoubt(doubt: KeyInDoubt): readonly string[] {
  const { begunAt, producedAt, process: by, attempt, meta, fence } = doubt
  return columns([
    ['  begun', begunAt === null ? 'unknown' : `${timeText(begunAt)}, ${ageText(begunAt)} ago`],
    ['  process', by ?? 'unknown'],
    ['  attempt', String(attempt ?? 'unknown')],
    ['  meta', meta === null ? 'none' : JSON.stringify(meta)],
    ['  produced', producedAt === null ? 'unknown' : timeText(producedAt)],
    ['  fence', String(fence)],
  ])
}

/** By the clock of this machine. */
const ageText = (ms: number): string => elapsedText(Math.max(0, Date.now() - ms))

const settleCommand = (key: string, id: string) =>
  `${launcher()} once settle ${key} --doubt ${id} --applied <json> | --barred …`

function printDoubts(doubts: readonly KeyInDoubt[], output: Output): void {
  if (doubts.length === 0) return output.line('no effect that has a record is in doubt')
  const oldestFirst = doubts.toSorted((a, b) => (a.begunAt ?? 0) - (b.begunAt ?? 0))
  const rows = oldestFirst.map((doubt) => {
    const { key, begunAt, attempt, process: by, meta } = doubt
    const begun = begunAt === null ? ['?', '?'] : [timeText(begunAt), ageText(begunAt)]
    return [idOf(doubt), key, ...begun, String(attempt ?? '?'), by ?? '?', meta === null ? '' : JSON.stringify(meta)]
  })
  for (const line of columns([['doubt', 'key', 'begun', 'age', 'attempt', 'process', 'meta'], ...rows]))
    output.line(line)
  output.line(`check the sink for each key, and then: ${settleCommand('<key>', '<doubt>')}`)
}

/** Left-aligned columns. */
function columns(rows: readonly (readonly string[])[]): readonly string[] {
  const widths = rows[0]!.map((_, at) => Math.max(...rows.map((row) => row[at]!.length)))
  return rows.map((row) =>
    row
      .map((text, at) => text.padEnd(widths[at]!))
      .join('  ')
      .trimEnd(),
  )
}

async function printSummary(once: Once, at: RecordsAt, options: At, output: Output): Promise<ExitCode> {
  const { length } = await doubtsOf(once, at)
  const { servers, generations, of, bornMs } =
    at.kind === 'redis' ? await onRedis(at, options) : await onPostgres(at, options)
  const completeSince = timeText(bornMs)
  if (output.json) await output.document({ schemaVersion: 1, servers, generations, completeSince, doubts: length })
  else
    for (const line of columns([
      ...servers.map((server) => ['server', server]),
      ['generations', `${generations} of ${of}; records are complete for messages since ${completeSince}`],
      ['in doubt', String(length)],
    ]))
      output.line(line)
  return exitCodes.ok
}

interface Summary {
  readonly servers: readonly string[]
  readonly generations: number
  readonly of: number
  readonly bornMs: number
}

async function onRedis(at: Extract<RecordsAt, { kind: 'redis' }>, options: At): Promise<Summary> {
  const { primaries, own } = await layerAt(at, options)
  const servers = primaries.map(({ policy, attachedReplicas }) => {
    const safe = policy === 'noeviction' ? '' : ' (set it to noeviction: nothing is performed)'
    return `primary with ${attachedReplicas} attached replicas, maxmemory-policy ${policy}${safe}`
  })
  return { servers, generations: own.generations, of: own.buckets, bornMs: own.bornMs }
}

async function onPostgres(
  { pool }: Extract<RecordsAt, { kind: 'postgres' }>,
  { namespace = '' }: At,
): Promise<Summary> {
  const { generations } = tablesOf(namespace)
  const { rows } = await pool.query(`SELECT max(born_ms) AS born, count(*) AS number FROM ${generations}`)
  const { born, number } = rows[0]!
  const version = await pool.query('SHOW server_version')
  const servers = [`PostgreSQL ${version.rows[0]!.server_version}`]
  return { servers, generations: Number(number), of: Number(number), bornMs: Number(born) }
}

function settledLine(key: string, settlement: Settlement, status: string): string {
  const as = settlement.status === 'applied' ? `applied, with result ${JSON.stringify(settlement.result)}` : 'barred'
  switch (status) {
    case 'unchanged':
      return `dry run: ${key} would be settled as ${as}; nothing was written`
    case 'unreachable':
      return `${key}: no answer, so the key may or may not be settled: see \`once status ${quoted(key)}\``
    case 'open':
      return `${key} is settled as ${as}: deliver its message again, and the effect is performed`
    default:
      return `${key} is settled as ${as}: each later copy gets this result`
  }
}

const timeText = (ms: number): string => new Date(ms).toISOString()
