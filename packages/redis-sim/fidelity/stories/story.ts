/** Helper functions for hand-written sequences. */
import { encodeCommand } from 'test-servers'
import { command, type Sequence, type Step } from '../step.ts'

export function story(name: string, connections: number, ...steps: Step[]): Sequence {
  return { name: `story: ${name}`, connections, steps }
}

/** Sends raw bytes on connection 0. */
export function raw(bytes: string, replies: number | 'close'): Step {
  return { kind: 'raw', on: 0, bytes, replies }
}

/** A command whose words are separated by blanks, on connection 0 by default. */
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
 * Sends commands without waiting for replies, which `receive` reads. Then waits in real time until
 * a real server has read them.
 */
export function send(on: number, ...commands: string[]): Step[] {
  return [{ kind: 'raw', on, bytes: pipeline(...commands), replies: 0 }, sleep(15)]
}

/** Receives replies or messages of earlier steps. */
export function receive(on: number, replies: number): Step {
  return { kind: 'raw', on, bytes: '', replies }
}
