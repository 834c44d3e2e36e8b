/**
 * Where a story of several servers is played: on real processes, or on simulated ones. Names stand
 * for addresses.
 */
export type Words = readonly string[]

/** redis.conf: name → value. */
export type Config = { readonly [name: string]: string }

export interface TestBedClient {
  /** One command and the bytes of its reply. */
  run(...words: string[]): Promise<string>
  /** A command that is not answered yet. */
  send(...words: string[]): Promise<void>
  /**
   * So many replies that are on their way; what the server sent before it hung up, with a mark,
   * where it did.
   */
  receive(replies: number): Promise<string>
}

export interface ReplicationTestBed {
  readonly kind: 'real' | 'simulated'
  /** Waits until it accepts connections. `follows`: starts as a replica. */
  start(name: string, config?: Config, follows?: string): Promise<void>
  /** The process is killed. */
  kill(name: string): Promise<void>
  /** It starts again, on its disk or on an empty one. */
  again(name: string, disk: 'kept' | 'lost', config?: Config, follows?: string): Promise<void>
  client(name: string): Promise<TestBedClient>
  /** REPLICAOF; null: NO ONE. */
  follow(name: string, primary: string | null): Promise<string>
  /** Breaks the replication link from `replica` to `primary`, and keeps it broken. */
  cut(replica: string, primary: string): Promise<void>
  heal(): Promise<void>
  /** The process stands still, with all its connections. */
  freeze(name: string): Promise<void>
  thaw(name: string): Promise<void>
  sleep(ms: number): Promise<void>
  /** @throws ServerGone where a real server had ended by itself */
  stop(): Promise<void>
}

/** What a story found, in order: equal on both test beds, or they differ. */
export type Note = readonly [what: string, found: unknown]

const timeoutMs = 15_000
const stepMs = 25

/** A test bed with what stories do again and again. */
export class Play {
  readonly notes: Note[] = []
  private readonly ids = new Map<string, string>()

  constructor(readonly testBed: ReplicationTestBed) {}

  note(what: string, found: unknown): void {
    this.notes.push([what, this.masked(found)])
  }

  /** One command over a connection of its own, as its first. */
  async run(name: string, ...words: string[]): Promise<string> {
    return (await this.testBed.client(name)).run(...words)
  }

  async noteRun(name: string, ...words: string[]): Promise<void> {
    this.note(`${name}: ${words.join(' ')}`, await this.run(name, ...words))
  }

  async info(name: string, section = 'replication'): Promise<Record<string, string>> {
    const lines = (await this.run(name, 'INFO', section)).split('\r\n')
    return Object.fromEntries(
      lines.filter((line) => line.includes(':')).map((line) => line.split(/:(.*)/s).slice(0, 2)),
    )
  }

  /** How often replicas asked, and what came of it. */
  async syncs(name: string): Promise<void> {
    const { sync_full, sync_partial_ok, sync_partial_err } = await this.info(name, 'stats')
    this.note(`${name}: full, partial, refused resyncs`, [sync_full, sync_partial_ok, sync_partial_err])
  }

  async until(what: string, condition: () => Promise<boolean>): Promise<void> {
    for (let waited = 0; waited < timeoutMs; waited += stepMs) {
      if (await condition()) return
      await this.testBed.sleep(stepMs)
    }
    throw new Error(`${what}: that never came about on the ${this.testBed.kind} test bed`)
  }

  linked(replica: string): Promise<void> {
    return this.until(`${replica} is linked`, async () => (await this.info(replica)).master_link_status === 'up')
  }

  /** The replica has all that its primary wrote. */
  async caughtUp(replica: string, primary: string): Promise<void> {
    await this.linked(replica)
    await this.until(`${replica} has caught up with ${primary}`, async () => {
      const [ours, theirs] = [await this.info(replica), await this.info(primary)]
      return ours.master_repl_offset === theirs.master_repl_offset && ours.master_replid === theirs.master_replid
    })
  }

  /**
   * Its one replica has acknowledged what was written after it came: one that is linked need not be
   * sent anything yet.
   */
  async acknowledged(primary: string): Promise<void> {
    const client = await this.testBed.client(primary)
    await client.run('PUBLISH', 'nobody', 'hears this')
    await this.until(`${primary} is acknowledged`, async () => (await client.run('WAIT', '1', '100')) === ':1\r\n')
  }

  /** Names that servers draw by chance are told apart by when they came first. */
  private masked(found: unknown): unknown {
    if (Array.isArray(found)) return found.map((one) => this.masked(one))
    if (typeof found !== 'string') return found
    return found.replace(/[0-9a-f]{40}/g, (id) => {
      if (!this.ids.has(id)) this.ids.set(id, `<id ${this.ids.size + 1}>`)
      return this.ids.get(id)!
    })
  }
}

export interface ReplicationStory {
  readonly name: string
  readonly report: (play: Play) => Promise<void>
}
