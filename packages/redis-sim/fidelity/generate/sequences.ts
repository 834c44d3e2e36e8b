import { Random } from 'test-servers'
import { command, type Sequence, type Step } from '../step.ts'
import { bitTemplates } from './bit-commands.ts'
import { hashTemplates, listTemplates, setTemplates } from './collection-commands.ts'
import { disturb } from './disturb.ts'
import { dumpTemplates } from './dump-commands.ts'
import { geoTemplates } from './geo-commands.ts'
import { keyTemplates } from './key-commands.ts'
import { connectionTemplates, scriptTemplates, transactionTemplates } from './other-commands.ts'
import { pubsubTemplates } from './pubsub-commands.ts'
import { sortedSetTemplates } from './sorted-set-commands.ts'
import { streamTemplates } from './stream-commands.ts'
import { stringTemplates } from './string-commands.ts'
import { key, value } from './vocabulary.ts'

const stepsPerSequence = 200

/**
 * Generates sequences over one to four connections, until their total reaches this number of
 * commands.
 */
export function* randomSequences(seed: number, commands: number): Generator<Sequence> {
  const random = new Random(seed)
  for (let number = 0, left = commands; left > 0; number++) {
    const steps: Step[] = []
    const connections = 1 + random.below(4)
    const length = Math.min(stepsPerSequence, left)
    for (let on = 0; on < connections; on++) if (random.chance(50)) steps.push(command(on, 'HELLO', '3'))
    while (steps.length < length) steps.push(...drawSteps(random, random.below(connections)))
    left -= steps.length
    yield { name: `random ${seed}/${number}`, connections, steps }
  }
}

function drawSteps(random: Random, on: number): Step[] {
  if (random.chance(2)) return expired(random, on)
  const group = random.weighted([
    [36, stringTemplates],
    [22, keyTemplates],
    [22, hashTemplates],
    [6, connectionTemplates],
    [8, listTemplates],
    [8, setTemplates],
    [12, sortedSetTemplates],
    [12, streamTemplates],
    [5, bitTemplates],
    [4, geoTemplates],
    [4, pubsubTemplates],
    [5, dumpTemplates],
    [9, transactionTemplates],
    [5, scriptTemplates],
  ])
  const args = random.weighted(group)(random)
  return [command(on, ...(random.chance(4) ? disturb(random, args) : args))]
}

/**
 * Stores a key whose deadline has passed long ago, so that the next access does not find it on any
 * machine.
 */
function expired(random: Random, on: number): Step[] {
  return [command(on, 'SET', key(random), value(random), 'PXAT', '1')]
}
