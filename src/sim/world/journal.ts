import { ErrorReply, type Reply } from 'redis-sim/resp'
import { Digest } from 'virtual-node/kernel'
import type { VirtualProcess } from 'virtual-node/runtime'
import type { SourcePosition } from '../../contract/api/source-position.ts'
import type { Recorder } from './recorder.ts'
import type { ExecutedCommand, StoreSession } from './request.ts'
import { commandText, replyText } from './trace-text.ts'

/** A command as traces have it. */
export interface TracedCommand {
  readonly args: readonly string[]
  readonly reply: Reply
  /** Null if there is only one server. */
  readonly node: string | null
  readonly sentFrom: SourcePosition | undefined
  /** See `Trace`. */
  readonly ofStart: boolean
}

/**
 * The commands that Redis executed for consumers, in order: by label, as a digest of the schedule,
 * and as traces.
 */
export class Journal {
  readonly executed: ExecutedCommand[] = []
  /** The delivery for which each command was sent, if known. */
  readonly sentFor: (number | null)[] = []
  readonly timesUs: number[] = []
  readonly scheduleDigest = new Digest()

  constructor(private readonly recorder: Recorder) {}

  step(process: VirtualProcess, label: string, args: readonly string[], reply: Reply, delivery: number | null): void {
    this.executed.push({ process: process.name, label, seq: this.recorder.events.length, args, reply })
    this.sentFor.push(delivery)
    this.timesUs.push(this.recorder.nowUs)
    this.scheduleDigest.int(process.slot)
    this.scheduleDigest.text(label)
    this.scheduleDigest.int(
      reply === null ? 1 : reply instanceof ErrorReply ? 2 : typeof reply === 'number' ? reply : 3,
    )
  }

  /** Sets the session of the last step. */
  inSession(session: StoreSession): void {
    this.executed.push({ ...this.executed.pop()!, session })
  }

  /** Sets the reply that a consistent read would have received in the last step. */
  missed(consistent: string): void {
    this.executed.push({ ...this.executed.pop()!, missed: consistent })
  }

  trace(process: VirtualProcess, { args, reply, node, sentFrom, ofStart }: TracedCommand): void {
    if (!this.recorder.tracing) return
    this.recorder.trace({
      type: 'command',
      process: process.name,
      command: commandText(args),
      reply: replyText(reply),
      ...(node === null ? {} : { node }),
      ...(sentFrom === undefined ? {} : { sentFrom }),
      ...(ofStart ? { ofStart } : {}),
    })
  }
}
