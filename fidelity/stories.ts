/** Hand-written sequences for what random ones hardly reach. */
import { command, type Sequence, type Step } from './step.ts'

function story(name: string, connections: number, ...steps: Step[]): Sequence {
  return { name: `story: ${name}`, connections, steps }
}

function raw(on: number, bytes: string, replies: number | 'close'): Step {
  return { kind: 'raw', on, bytes, replies }
}

export const stories: readonly Sequence[] = [
  story('a pipeline is answered in order', 1, raw(0, 'SET a 1\r\n*2\r\n$3\r\nGET\r\n$1\r\na\r\nPING\r\n', 3)),
]
