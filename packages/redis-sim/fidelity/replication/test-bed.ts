/**
 * The environment in which a story with several servers is executed: real processes or simulated
 * servers. Names stand for addresses.
 */
export type Words = readonly string[]

/** redis.conf parameters by name. */
export type Config = { readonly [name: string]: string }

export interface TestBedClient {
  /** Sends one command; returns the bytes of its reply. */
  run(...words: string[]): Promise<string>
  /** Sends a command without waiting for its reply. */
  send(...words: string[]): Promise<void>
  /**
   * Waits for this number of replies. If the server closes the connection, returns the bytes
   * received before, with a mark.
   */
  receive(replies: number): Promise<string>
}

export interface ReplicationTestBed {
  readonly kind: 'real' | 'simulated'
  /**
   * Starts a server and waits until it accepts connections. With `follows`, it starts as a replica.
   */
  start(name: string, config?: Config, follows?: string): Promise<void>
  /** Kills the process. */
  kill(name: string): Promise<void>
  /** Restarts the server with its disk or with an empty disk. */
  again(name: string, disk: 'kept' | 'lost', config?: Config, follows?: string): Promise<void>
  client(name: string): Promise<TestBedClient>
  /** Sends REPLICAOF with the primary; NO ONE if `primary` is null. */
  follow(name: string, primary: string | null): Promise<string>
  /** Breaks the replication link from `replica` to `primary` until `heal`. */
  cut(replica: string, primary: string): Promise<void>
  heal(): Promise<void>
  /** Stops the process (SIGSTOP) with all its connections open. */
  freeze(name: string): Promise<void>
  thaw(name: string): Promise<void>
  sleep(ms: number): Promise<void>
  /** @throws ServerGone if a real server has ended by itself */
  stop(): Promise<void>
}

/** An observation of a story. The notes of both test beds must be equal and in the same order. */
export type Note = readonly [what: string, found: unknown]

const timeoutMs = 15_000
const stepMs = 25

/** A test bed, with helper functions for stories. */
export class Play {
  readonly notes: Note[] = []
  private readonly ids = new Map<string, string>()

  constructor(readonly testBed: ReplicationTestBed) {}

  note(what: string, found: unknown): void {
    this.notes.push([what, this.masked(found)])
  }

  /** Runs one command on a new connection. */
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

  /** Notes the numbers of resyncs. */
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

  /** Waits until the replica has received all writes of its primary. */
  async caughtUp(replica: string, primary: string): Promise<void> {
    await this.linked(replica)
    await this.until(`${replica} has caught up with ${primary}`, async () => {
      const [ours, theirs] = [await this.info(replica), await this.info(primary)]
      return ours.master_repl_offset === theirs.master_repl_offset && ours.master_replid === theirs.master_replid
    })
  }

  /**
   * Waits until the only replica has acknowledged a write that was made after the replica
   * connected, because a connected replica may not receive the stream yet.
   */
  async acknowledged(primary: string): Promise<void> {
    const client = await this.testBed.client(primary)
    await client.run('PUBLISH', 'nobody', 'hears this')
    await this.until(`${primary} is acknowledged`, async () => (await client.run('WAIT', '1', '100')) === ':1\r\n')
  }

  /** Replaces random ids by numbers, in the order of their first occurrence. */
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
