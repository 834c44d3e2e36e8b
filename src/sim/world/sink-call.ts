import type { VirtualProcess } from 'virtual-node/runtime'
import { VirtualTimeout } from 'virtual-node/runtime'
import { SinkTimeout } from '../../run/sink/sink-errors.ts'

export type SinkAnswer<T> = { readonly value: T } | { readonly error: Error }

/**
 * One request of a process to the sink. The answer or the timeout, whichever comes first, settles
 * the request in a turn of the process.
 */
export class SinkCall<T> {
  #settled = false
  readonly #timer: VirtualTimeout

  constructor(
    process: VirtualProcess,
    timeoutMs: number,
    private readonly reported: ((answer: SinkAnswer<T>) => void) | null,
    private readonly resolve: (value: T) => void,
    private readonly reject: (error: Error) => void,
  ) {
    this.#timer = new VirtualTimeout(process, timeoutMs, false, () =>
      this.settle({ error: new SinkTimeout(timeoutMs) }),
    )
  }

  settle(answer: SinkAnswer<T>): void {
    if (this.#settled) return
    this.#settled = true
    this.#timer.close()
    this.reported?.(answer)
    if ('error' in answer) this.reject(answer.error)
    else this.resolve(answer.value)
  }
}
