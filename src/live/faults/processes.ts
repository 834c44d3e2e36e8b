/** Faults of consumer processes: signals. */
import { whereText } from '../../contract/where-text.ts'
import { type LiveFault, victim } from './live-fault.ts'

/** SIGKILL; healing starts another process in its place. */
export const crash: LiveFault = {
  async strike(target, fault, passing) {
    const process = victim(target, fault, passing)
    if (process === null) return null
    const { name } = process
    target.crash(process)
    return {
      process: name,
      sentence: `${name} is killed${whereText(passing)}`,
      heal: () => `${target.restart(process.slot).name} starts in place of ${name}`,
    }
  },
}

/** SIGSTOP and SIGCONT. */
export const pause: LiveFault = {
  async strike(target, fault, passing) {
    const process = victim(target, fault, passing)
    if (process?.state !== 'running') return null
    target.pause(process)
    return {
      process: process.name,
      sentence: `${process.name} stops${whereText(passing)}, for ${fault.healAfterMs} ms`,
      heal() {
        if (process.state !== 'paused') return `${process.name} is gone before it could go on`
        target.resume(process)
        return `${process.name} goes on`
      },
    }
  },
}
