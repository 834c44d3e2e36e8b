/** Time, chance and links of a run that follows a script. */
import type { RunPorts } from '../../run/ports.ts'
import type { ConsumerProcess } from '../host/consumer-process.ts'
import type { ScriptedLinks } from './scripted-links.ts'
import type { Stepper } from './stepper.ts'

/** By what the conductor of a live run goes on. */
export type Pace = Pick<RunPorts<ConsumerProcess>, 'nowUs' | 'after' | 'chance' | 'links' | 'steps'>

/** A timer of the conductor is a step like others: it goes off when the script says so. */
export function byScript(stepper: Stepper, links: ScriptedLinks): Pace {
  return {
    nowUs: () => stepper.nowUs,
    after: (_delayUs, work) => void work(),
    chance: (stream, what, n) => stepper.chance(stream, what, n),
    links,
    steps: stepper,
  }
}
