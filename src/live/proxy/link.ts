import type { Socket } from 'node:net'
import { Channel } from './channel.ts'
import { type Behaviour, Stage } from './stage.ts'
import type { Toxic } from './toxic.ts'
import { pass, type Random } from './toxics/kind.ts'

interface Step {
  readonly toxic: Toxic
  readonly stage: Stage
  readonly behaviour: Behaviour
}

/**
 * One direction of one connection: source → head → a stage for each toxic, in the order in which they were added →
 * destination. When the stream ends, by the source or by a toxic, both directions of the destination are closed.
 *
 * The head passes everything on. It is where a step that knows Redis's protocol belongs: before all toxics, and with
 * the head of the other direction within reach of the `Connection` that makes both.
 */
export class Link {
  private readonly head: Stage
  private readonly exit = new Channel(1)
  private readonly steps: Step[] = []

  constructor(
    source: Socket,
    private readonly destination: Socket,
    private readonly closeDestination: () => void,
    private readonly random: Random,
    toxics: readonly Toxic[],
  ) {
    this.exit.onArrival = () => this.flush()
    this.head = new Stage(1, this.exit)
    this.head.start(pass)
    for (const toxic of toxics) this.add(toxic)
    this.readFrom(source)
    destination.on('drain', () => this.flush())
  }

  add(toxic: Toxic): void {
    const last = this.steps.at(-1)?.stage ?? this.head
    if (last.closed) return
    const stage = new Stage(toxic.kind.capacity ?? 1, last.output)
    last.output = stage.input
    const step = { toxic, stage, behaviour: toxic.kind.join(toxic.attributes, this.random) }
    this.steps.push(step)
    this.run(step)
  }

  /** After the toxic's attributes or its toxicity changed. */
  async update(toxic: Toxic): Promise<void> {
    const step = this.steps.find((one) => one.toxic === toxic)
    if (step === undefined || step.stage.closed) return
    await step.stage.interrupt()
    if (!step.stage.closed) this.run(step)
  }

  async remove(toxic: Toxic): Promise<void> {
    const at = this.steps.findIndex((one) => one.toxic === toxic)
    const stage = this.steps[at]?.stage
    if (stage === undefined || stage.closed) return
    await stage.interrupt()
    if (toxic.kind.closesWhenRemoved) stage.close()
    if (stage.closed) return
    stage.output.absorb(stage.input)
    const before = this.steps[at - 1]?.stage ?? this.head
    before.output = stage.output
    this.steps.splice(at, 1)
  }

  /** Ends everything that would still happen by a timer. The sockets are the connection's to close. */
  stop(): void {
    for (const { stage } of this.steps) void stage.interrupt()
  }

  /** A toxic applies to a link with the probability that its toxicity says. */
  private run({ toxic, stage, behaviour }: Step): void {
    stage.start(this.random() < toxic.toxicity ? behaviour : pass)
  }

  private readFrom(source: Socket): void {
    const { input } = this.head
    input.onRoom = () => source.resume()
    source.on('data', (bytes: Buffer) => {
      input.push({ bytes, at: performance.now() })
      if (input.isFull) source.pause()
    })
    source.on('end', () => input.end())
    source.on('close', () => input.end())
    source.resume()
  }

  private flush(): void {
    while (!this.destination.writableNeedDrain) {
      const one = this.exit.shift()
      if (one === undefined) return
      if (one === 'end') return this.closeDestination()
      if (this.destination.writable) this.destination.write(one.bytes)
    }
  }
}
