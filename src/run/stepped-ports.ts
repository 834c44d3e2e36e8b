import { caught, type MaybePromise } from './maybe-promise.ts'
import type { RunPorts } from './ports.ts'
import type { ProcessRef } from './process-ref.ts'
import type { Steps } from './steps.ts'

/** Wraps the ports so that their callbacks reach the runner as steps, numbered by kind. */
export function steppedPorts<P extends ProcessRef>(ports: RunPorts<P>, steps: Steps): RunPorts<P> {
  const counts = { timer: 0, carried: 0, turn: 0, running: 0 }
  const numbered = (kind: keyof typeof counts, work: () => MaybePromise<void>) => {
    const step = { kind, nth: ++counts[kind] }
    steps.ask?.(step)
    // Most ports ignore the returned promise, so `caught` handles its rejection.
    return () => caught(steps.take(step, work), ports.failed)
  }
  const { driver, links } = ports
  return {
    ...ports,
    get epochMs() {
      return ports.epochMs
    },
    after: (delayUs, work) => ports.after(delayUs, numbered('timer', work)),
    links: {
      carry: (slot, direction, arrive) => links.carry(slot, direction, numbered('carried', arrive)),
      carryOut: (action, event, fault) => links.carryOut(action, event, fault),
    },
    driver: {
      start: (slot, name, incarnation) => driver.start(slot, name, incarnation),
      inTurn: (process, work) => driver.inTurn(process, numbered('turn', work)),
      deliver: (process, delivery) => driver.deliver(process, delivery),
      whenRunning: (process, work) => driver.whenRunning(process, numbered('running', work)),
      kill: (process) => driver.kill(process),
      pause: (process) => driver.pause(process),
      resume: (process) => driver.resume(process),
    },
  }
}
