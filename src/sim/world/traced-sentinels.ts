import type { RedisEnvironment } from 'redis-sim'
import type { Reply } from 'redis-sim/resp'
import type { ClientSide } from 'virtual-node/network'
import type { SentinelQuestion, SentinelWord } from '../../contract/results/run-trace.ts'

/** The interface of a Sentinel that tracing needs. */
export interface TracedSentinel {
  readonly name: string
  readonly address: { readonly host: string }
  readonly server: { readonly id: string }
  watch(reported: NonNullable<RedisEnvironment['executed']>): void
  clientOf(connectionId: number): ClientSide | undefined
}

interface Machine {
  readonly name: string
  readonly address: { readonly host: string }
}

type Moment = Pick<SentinelWord, 'atUs' | 'seq'>

/**
 * The recorded events by their published names. Other events are excluded: they are not steps of a
 * failover, or the history contains them anyway.
 */
const said: ReadonlyMap<string, SentinelWord['what']> = new Map([
  ['+sdown', 'down'],
  ['-sdown', 'up'],
  ['+odown', 'agreed-down'],
  ['+try-failover', 'stands'],
  ['+vote-for-leader', 'votes'],
  ['+elected-leader', 'leads'],
  ['+selected-slave', 'chooses'],
  ['-failover-abort-not-elected', 'not-elected'],
  ['-failover-abort-no-good-slave', 'no-good-replica'],
  ['-failover-abort-slave-timeout', 'not-promoted'],
  ['+convert-to-slave', 'demotes'],
])

/** Announcements of Sentinels and queries of clients, with machine names. */
export class TracedSentinels {
  readonly words: SentinelWord[] = []
  readonly questions: SentinelQuestion[] = []

  constructor(
    readonly all: readonly TracedSentinel[],
    private readonly servers: readonly Machine[],
    /** Null while tracing is off. */
    now: () => Moment | null,
  ) {
    for (const sentinel of all)
      sentinel.watch((id, args, reply) => {
        const moment = now()
        if (moment !== null) this.#asked(sentinel, sentinel.clientOf(id), args, reply, moment)
      })
  }

  says(sentinel: string, type: string, message: string, moment: Moment): void {
    const what = said.get(type)
    if (what === undefined) return
    const [first, , host] = message.split(' ')
    const about = what === 'votes' ? this.all.find(({ server }) => server.id === first)?.name : this.#nameOf(host)
    this.words.push({ ...moment, sentinel, what, about: about ?? null })
  }

  #asked(
    { name }: TracedSentinel,
    client: ClientSide | undefined,
    args: readonly string[],
    reply: Reply,
    moment: Moment,
  ): void {
    const process = client?.process ?? null
    if (process === null || !/^get-master-addr-by-name$/i.test(args[1] ?? '')) return
    const reported = Array.isArray(reply) ? this.#nameOf(String(reply[0])) : null
    this.questions.push({ ...moment, sentinel: name, process: process.name, reported })
  }

  #nameOf(host: string | undefined): string | null {
    return [...this.servers, ...this.all].find(({ address }) => address.host === host)?.name ?? null
  }
}
