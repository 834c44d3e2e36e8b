import { type Fault, HttpRequestParser } from 'dynamodb-sim'
import { ErrorReply, type Reply } from 'redis-sim/resp'
import type { ClientSide, Connection, Tap } from 'virtual-node/network'
import { numbersOfRequest } from '../../../run/request-labels.ts'
import { recordLost } from '../record-lost.ts'
import type { World } from '../world-state.ts'
import type { DynamoDBNode } from './dynamodb-node.ts'
import { type RequestStep, stepOf } from './request-step.ts'

/** Reads the requests of a client on one connection as they leave. */
interface RequestReader {
  readonly parser: HttpRequestParser
  about: string | undefined
}

/**
 * Watches the requests of consumers on their way to DynamoDB and back. Each request passes four
 * boundaries: before it leaves the process, before and after its execution, and before the reply
 * reaches the process. Not implemented: orphaned requests (`command-strayed`), and the source line
 * of a request.
 */
export class RequestTap implements Tap {
  #readers = new WeakMap<ClientSide, RequestReader>()

  constructor(
    private readonly world: World,
    private readonly node: DynamoDBNode,
  ) {}

  dispose(): void {
    this.#readers = new WeakMap()
  }

  // The process's end of a connection.

  opened(): void {}

  sending(): void {}

  hearing(): void {}

  label(connection: Connection, bytes: string): string | null {
    let reader = this.#readers.get(connection)
    if (reader === undefined) {
      reader = { parser: new HttpRequestParser(), about: undefined }
      this.#readers.set(connection, reader)
    }
    reader.parser.feed(bytes)
    const request = reader.parser.next()
    const step = request === null || 'status' in request ? null : stepOf(request)
    reader.about = step?.about
    return step?.label ?? null
  }

  leaving(connection: Connection, label: string): boolean {
    const { world } = this
    return world.guardHarnessCode(() => {
      const about = world.wantsKeys ? this.#readers.get(connection)?.about : undefined
      const { verdict } = world.pass(connection.process, 'command-unsent', label, undefined, about)
      if (verdict !== 'pass' || connection.state !== 'open') return false
      const { process } = connection
      if (world.isRecorded(process))
        for (const observer of world.observers) observer.asks?.(connection, process.name, this.node.name, [label])
      return true
    })
  }

  arriving(connection: Connection, label: string): boolean {
    const { verdict } = this.world.pass(connection.process, 'reply-received', label)
    if (verdict !== 'pass' || connection.state !== 'open') return false
    for (const observer of this.world.observers) observer.replies?.(connection)
    return true
  }

  lost(connection: Connection, what: 'request' | 'reply', label: string): void {
    recordLost(this.world, connection, connection.process, what, label)
  }

  // The service's end.

  /**
   * Breaks the connection if a fault drops the request. Returns the fault that replaces the
   * execution of the request, or follows it.
   */
  executes(connection: ClientSide, step: RequestStep): Fault | null {
    const { world } = this
    const { process } = connection
    if (process === null) return null
    // A time to live is a point in time. The difference from now is the limit that the layer has
    // set.
    for (const number of numbersOfRequest(step.members)) world.limits.note(number * 1000 - this.#wholeSecondsMs())
    const about = world.wantsKeys ? step.about : undefined
    const { verdict, error } = world.pass(
      process,
      'command-unexecuted',
      step.label,
      undefined,
      about,
      isLeft(connection),
    )
    if (verdict === 'drop') {
      recordLost(world, connection, process, 'request', step.label)
      connection.break('ECONNRESET')
    }
    if (error === null || error === 'failed' || error === 'failed-after') return error
    world.unsupported('this error instead of the execution of a DynamoDB request')
    return null
  }

  #wholeSecondsMs(): number {
    return Math.floor(this.node.nowMs() / 1000) * 1000
  }

  /** `answer`: the response as bytes. */
  executed(connection: ClientSide, step: RequestStep, answer: string): void {
    const { world } = this
    const { process } = connection
    if (process === null) return
    const args = [step.operation, step.body]
    const reply = replyOf(answer)
    const ofStart = world.sent?.isStarting(process) ?? false
    world.traceCommand(process, { args, reply, node: this.node.name, sentFrom: undefined, ofStart })
    if (world.isRecorded(process))
      for (const observer of world.observers) observer.executes?.(connection, process.name, this.node.name, step.label)
    world.schedule(process, step.label, args, reply)
    if (this.node.missedByLast !== undefined) world.journal.missed(this.node.missedByLast)
    const about = world.wantsKeys ? step.about : undefined
    const { verdict } = world.pass(process, 'command-executed', step.label, undefined, about, isLeft(connection))
    if (verdict !== 'drop') return
    recordLost(world, connection, process, 'reply', step.label)
    connection.break('ECONNRESET')
  }
}

const isLeft = ({ hungUpUs }: ClientSide): boolean => hungUpUs !== null

/** The reply in the form of histories, as bytes: the body, or the error's name and text. */
function replyOf(answer: string): Reply {
  const at = answer.indexOf('\r\n\r\n')
  const body = answer.slice(at + 4)
  if (answer.startsWith('HTTP/1.1 200 ')) return body
  const { __type: type = '', message, Message: text = message ?? '' } = JSON.parse(body)
  return new ErrorReply(`${String(type).split('#')[1]} ${text}`)
}
