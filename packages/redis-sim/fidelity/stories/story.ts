/** Short ways to write down a sequence by hand. */
import { encodeCommand } from 'test-servers'
import { command, type Sequence, type Step } from '../step.ts'

export function story(name: string, connections: number, ...steps: Step[]): Sequence {
  return { name: `story: ${name}`, connections, steps }
}

/** Bytes as they are on connection 0. */
export function raw(bytes: string, replies: number | 'close'): Step {
  return { kind: 'raw', on: 0, bytes, replies }
}

/** On connection 0, words split at blanks. */
export function run(text: string, on = 0): Step {
  return command(on, ...text.split(' '))
}

export function sleep(ms: number): Step {
  return { kind: 'sleep', ms }
}

export function pipeline(...commands: string[]): string {
  return commands.map((text) => encodeCommand(text.split(' '))).join('')
}

/**
 * Sent, and its reply left for `receive`; real time passes, so that a real server has taken it by
 * then.
 */
export function send(on: number, ...commands: string[]): Step[] {
  return [{ kind: 'raw', on, bytes: pipeline(...commands), replies: 0 }, sleep(15)]
}

/** So many replies or messages that are on their way. */
export function receive(on: number, replies: number): Step {
  return { kind: 'raw', on, bytes: '', replies }
}
