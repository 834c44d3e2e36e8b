import type { Presence } from './registry.ts'

/** Tasks under way before any worker is known: the first ones find something to do at once. */
const fewest = 8

/** What the asker knows of its workers, and says of them: each once. */
export class WorkersSeen {
  readonly #seen = new Map<string, Presence>()
  #saidWaiting = false

  constructor(
    private readonly queue: string,
    private readonly ownHands: number,
    private readonly say: (line: string) => void,
  ) {}

  look(found: ReadonlyMap<string, Presence>, waiting: boolean): void {
    for (const [name, presence] of found) {
      const before = this.#seen.get(name)
      this.#seen.set(name, presence)
      if (presence.refused !== null && before?.refused !== presence.refused)
        this.say(`fleet: worker ${name} was refused: ${presence.refused}`)
      else if (before === undefined)
        this.say(`fleet: worker ${name} joined with ${presence.hands} ${presence.hands === 1 ? 'thread' : 'threads'}`)
    }
    if (!waiting || this.#hands > 0 || this.#saidWaiting) return
    this.#saidWaiting = true
    this.say(`fleet: no worker yet at ${this.queue}; waiting for \`pnpm sim worker --fleet …\``)
  }

  /** One more each than hands, so that nobody waits for the next. */
  get tasksWanted(): number {
    return Math.max(fewest, 2 * this.#hands)
  }

  get #hands(): number {
    return [...this.#seen.values()].reduce((sum, { hands }) => sum + hands, this.ownHands)
  }
}
