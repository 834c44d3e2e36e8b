/**
 * A Redis server or a Sentinel of a deployment, in a run that follows a schedule: its process, and
 * the harness's client for it.
 */
import fs from 'node:fs'
import path from 'node:path'
import { Redis, ReplyError } from 'ioredis'
import { slotCount } from '../../run/cluster-nodes.ts'
import type { RunDirectory } from '../environment/run-directory.ts'
import type { Address } from '../proxy/link-proxy.ts'
import { eventually } from '../servers/asking.ts'
import { RedisProcess } from '../servers/redis-process.ts'
import { contentOf } from '../stores/record-content.ts'
import type { HeldLink } from './held-link.ts'

/** A key's value and its expiry in milliseconds since the epoch; negative if it never expires. */
export interface HeldRecord {
  /** The serialized value for RESTORE, with one character for each byte. */
  readonly dump: string
  /** The value as text, for comparison with the value on another server. */
  readonly content: string
  readonly expireAtMs: number
}

/**
 * The reply of PEXPIRETIME if the key does not exist. (The reply is -1 if the key never expires.)
 */
const gone = -2

const isUnserved = (error: unknown): boolean =>
  error instanceof Error && error.message === 'CLUSTERDOWN Hash slot not served'

export class HeldMachine {
  readonly machine: RedisProcess
  readonly folder: string
  readonly #isOfCluster: boolean
  readonly #file: string
  readonly #config: readonly string[]
  /** True while the machine is frozen and executes nothing. */
  frozen = false
  #client: Redis | null = null
  #kills = 0

  constructor(
    readonly name: string,
    readonly runs: 'redis' | 'sentinel',
    /** The link through which the other machines reach this one. */
    readonly heldLink: HeldLink,
    setting: {
      readonly port: number
      readonly binary: string
      readonly directory: RunDirectory
      /** True for a Cluster node. A Cluster replica serves reads only after READONLY. */
      readonly isOfCluster: boolean
    },
    config: readonly string[],
  ) {
    const { port, binary, directory, isOfCluster } = setting
    this.#isOfCluster = isOfCluster
    // Each machine has a separate folder, because a server writes received data and its state to
    // disk.
    const folder = fs.mkdtempSync(path.join(directory.folder, `${name}-`))
    this.folder = folder
    const file = path.join(folder, 'redis.conf')
    this.#file = file
    this.#config = [`port ${port}`, 'bind 127.0.0.1', ...config]
    this.#configure()
    const args = runs === 'redis' ? [file] : [file, '--sentinel']
    this.machine = new RedisProcess({ binary, port, folder, env: directory.env, started: directory.started, args })
  }

  get announced(): Address {
    return this.heldLink.address
  }

  get up(): boolean {
    return this.#client !== null
  }

  async start(): Promise<void> {
    const kills = this.#kills
    await this.machine.start()
    // The machine was killed while it started. A client would try to connect forever.
    if (this.#kills > kills) return
    const { host, port } = this.machine
    // The client reconnects, because the server closes client connections when its role changes.
    this.#client = new Redis({
      host,
      port,
      maxRetriesPerRequest: null,
      retryStrategy: () => 5,
      readOnly: this.#isOfCluster,
    })
    this.#client.on('error', () => {})
  }

  async kill(): Promise<void> {
    this.#kills++
    this.#client?.disconnect()
    this.#client = null
    this.frozen = false
    await this.machine.kill()
  }

  async freeze(on: boolean): Promise<void> {
    this.frozen = on
    await this.machine.freeze(on)
  }

  async call(command: string, ...args: string[]): Promise<unknown> {
    if (this.#client === null) throw new Error(`${this.name} is down and cannot execute ${command}`)
    return this.#client.call(command, ...args)
  }

  /** The keys that a command names; null if it names none, such as EXEC. */
  async keysOf(args: readonly string[]): Promise<readonly string[] | null> {
    try {
      return (await this.call('COMMAND', 'GETKEYS', ...args)) as string[]
    } catch (error) {
      if (error instanceof ReplyError) return null
      throw error
    }
  }

  /** The fields of a section of INFO. */
  async info(section: string): Promise<ReadonlyMap<string, string>> {
    const text = String(await this.call('INFO', section))
    return new Map(
      text.split('\r\n').flatMap((line) => {
        const at = line.indexOf(':')
        return at < 0 ? [] : [[line.slice(0, at), line.slice(at + 1)] as const]
      }),
    )
  }

  /** The replication offset of the server, in bytes. */
  async offset(): Promise<number> {
    const fields = await this.info('replication')
    return Number(fields.get(fields.get('role') === 'slave' ? 'slave_repl_offset' : 'master_repl_offset'))
  }

  /**
   * The time in milliseconds until the last of these keys expires by the server's clock; negative
   * if none of them will.
   */
  async expireInMs(keys: readonly string[]): Promise<number> {
    return Math.max(...(await Promise.all(keys.map(async (key) => Number(await this.call('PTTL', key))))))
  }

  /**
   * The records of the server, by key. A Cluster node that is down reports no keys unless reads are
   * allowed then.
   * @throws LiveProblem
   */
  async records(timeoutMs?: number): Promise<Map<string, HeldRecord>> {
    if (!this.#isOfCluster) return this.#records()
    await this.call('CONFIG', 'SET', 'cluster-allow-reads-when-down', 'yes')
    try {
      return await this.#recordsOnceSlotsAreServed(timeoutMs)
    } finally {
      await this.call('CONFIG', 'SET', 'cluster-allow-reads-when-down', 'no')
    }
  }

  /**
   * A node that knows no owner of a slot refuses reads of the slot despite the setting. This
   * happens briefly if a successor's stale message, `I am a replica of yours`, arrives after the
   * successor's claim. It ends when the claim arrives again. The stale message may arrive between
   * any two commands, so the error is handled for each command.
   */
  async #recordsOnceSlotsAreServed(timeoutMs?: number): Promise<Map<string, HeldRecord>> {
    let records: Map<string, HeldRecord> | null = null
    const read = async () => {
      if (!(await this.#knowsWhoServes())) return false
      records = await this.#records().catch((error: unknown) => {
        if (isUnserved(error)) return null
        throw error
      })
      return records !== null
    }
    await eventually(read, `the node ${this.name}`, 'it knows no node for some of the slots', timeoutMs)
    return records!
  }

  async #knowsWhoServes(): Promise<boolean> {
    return String(await this.call('CLUSTER', 'INFO')).includes(`cluster_slots_assigned:${slotCount}\r\n`)
  }

  async #records(): Promise<Map<string, HeldRecord>> {
    const keys = (await this.call('KEYS', '*')) as string[]
    const records = keys.map(async (key) => {
      const dump = (await this.#client!.dumpBuffer(key)) as Buffer | null
      const content = await contentOf(this.#client!, key, dump)
      const expireAtMs = Number(await this.call('PEXPIRETIME', key))
      // The key has expired meanwhile, before or after the dump.
      if (dump === null || content === null || expireAtMs === gone) return []
      return [[key, { dump: dump.toString('latin1'), content, expireAtMs }] as const]
    })
    return new Map((await Promise.all(records)).flat())
  }

  /** Sets a setting that also holds after a restart. */
  async set(setting: string, value: string): Promise<void> {
    await this.call('CONFIG', 'SET', setting, value)
    this.#configure(`${setting} ${value}`)
  }

  /** Restarts the process without the data that it had received. It still knows the other nodes. */
  async startEmpty(): Promise<void> {
    this.#forgetData()
    await this.start()
  }

  #forgetData(): void {
    fs.rmSync(path.join(this.folder, 'dump.rdb'), { force: true })
  }

  /** Restarts the process with exactly these records. */
  async startWith(records: ReadonlyMap<string, HeldRecord>): Promise<void> {
    this.#forgetData()
    // A Cluster node accepts no keys from clients before it serves, so it loads the records from
    // its disk.
    if (this.#isOfCluster) return this.#startFromDisk(records)
    await this.start()
    // A replica also gets the records, which it keeps until its primary sends others.
    await this.call('CONFIG', 'SET', 'replica-read-only', 'no')
    for (const [key, { dump, expireAtMs }] of records)
      await this.#client!.restore(key, Math.max(0, expireAtMs), Buffer.from(dump, 'latin1'), 'ABSTTL')
    await this.call('CONFIG', 'SET', 'replica-read-only', 'yes')
  }

  async #startFromDisk(records: ReadonlyMap<string, HeldRecord>): Promise<void> {
    const folder = path.join(this.folder, 'appendonlydir')
    const restores = [...records].map(([key, { dump, expireAtMs }]) =>
      encoded(['RESTORE', key, String(Math.max(0, expireAtMs)), dump, 'ABSTTL']),
    )
    fs.mkdirSync(folder)
    const file = 'appendonly.aof.1.incr.aof'
    fs.writeFileSync(path.join(folder, file), Buffer.from(encoded(['SELECT', '0']) + restores.join(''), 'latin1'))
    fs.writeFileSync(path.join(folder, 'appendonly.aof.manifest'), `file ${file} seq 1 type i\n`)
    this.#configure('appendonly yes')
    await this.start()
    await this.call('CONFIG', 'SET', 'appendonly', 'no')
    this.#configure()
    fs.rmSync(folder, { recursive: true })
  }

  /**
   * Writes the configuration file, which applies at the next start. Later settings override earlier
   * ones.
   */
  #configure(...more: readonly string[]): void {
    fs.writeFileSync(this.#file, [...this.#config, ...more, ''].join('\n'))
  }
}

/** The command as bytes, with one character for each byte. */
const encoded = (words: readonly string[]): string =>
  `*${words.length}\r\n${words.map((word) => `$${word.length}\r\n${word}\r\n`).join('')}`
