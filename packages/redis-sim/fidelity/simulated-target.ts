import { closedMark, encodeCommand } from 'test-servers'
import type { RedisConnection } from '../src/connection.ts'
import type { RedisEnvironment } from '../src/environment.ts'
import type { Database } from '../src/keyspace/database.ts'
import { RedisServer } from '../src/server.ts'
import type { Step } from './step.ts'
import type { Target } from './target.ts'

/** The step budget of scripts: more steps than any terminating script of the comparison takes. */
const scriptStepBudget = 300_000_000

/** The simulated server in this process. The comparison sets its clock. */
export class SimulatedTarget implements Target {
  server!: RedisServer
  /** Microseconds since the epoch. */
  nowUs = 0
  /** Commands that are not simulated, with their counts. */
  readonly unsupported = new Map<string, number>()
  private timers: (() => void)[] = []
  private connections: { connection: RedisConnection; written: string }[] = []

  /** Starts a new server with this number of connections, whose ids begin at `firstId`. */
  begin(connections: number, firstId: number): void {
    this.timers = []
    this.server = new RedisServer(this.environment(), { scriptStepBudget })
    for (let id = 0; id + 1 < firstId; ) {
      const passing = this.server.connect({ write() {}, close() {} })
      id = passing.id
      passing.close()
    }
    this.connections = Array.from({ length: connections }, () => this.connect())
  }

  async perform(step: Exclude<Step, { kind: 'sleep' }>): Promise<string> {
    const end = this.connections[step.on]!
    end.connection.receive(step.kind === 'command' ? encodeCommand(step.args) : step.bytes)
    if (step.kind === 'raw' && step.replies === 0) return ''
    // The real server has already replied, so the timeouts of blocked commands have elapsed.
    while (end.connection.isBlocked && this.timers.length > 0) this.timers.shift()!()
    const { written } = end
    end.written = ''
    return written
  }

  /** The database selected by a connection. */
  database(on: number): Database {
    return this.connections[on]!.connection.session.database
  }

  private connect() {
    const end = { written: '', connection: undefined as unknown as RedisConnection }
    end.connection = this.server.connect({
      write: (bytes) => {
        end.written += bytes
      },
      close: () => {
        end.written += closedMark
      },
    })
    return end
  }

  private environment(): RedisEnvironment {
    let state = 1
    return {
      nowUs: () => this.nowUs,
      random: (n) => {
        state = (Math.imul(state, 48271) >>> 0) % 0x7fffffff
        return state % n
      },
      schedule: (_delayUs, callback, background) => {
        if (background) return () => {}
        this.timers.push(callback)
        return () => {
          this.timers = this.timers.filter((other) => other !== callback)
        }
      },
      unsupported: (what) => this.unsupported.set(what, (this.unsupported.get(what) ?? 0) + 1),
    }
  }
}
