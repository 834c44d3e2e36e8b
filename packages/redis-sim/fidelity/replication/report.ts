import { describeStep } from '../step.ts'
import { differencesOf, type ReplicationResult } from './compare-replication.ts'

export function printReplication(result: ReplicationResult): void {
  const { streams, stories } = result
  for (const { sequence, real, simulated } of streams.differences) {
    console.log(`\nthe stream differs after ${sequence.name}:`)
    for (const step of sequence.steps) console.log(`    ${describeStep(step)}`)
    console.log(`    real:      ${JSON.stringify(real)}\n    simulated: ${JSON.stringify(simulated)}`)
  }
  for (const { story, real, simulated } of stories.differences) {
    console.log(`\na story of several servers differs: ${story}`)
    console.log(`    real:      ${JSON.stringify(real)}\n    simulated: ${JSON.stringify(simulated)}`)
  }
  for (const what of stories.unsupported) console.log(`  not simulated: ${what}`)
  console.log(`${streams.effects} effects of ${streams.sequences} sequences compared with a real primary's stream`)
  console.log(`${stories.notes} findings of ${stories.stories} stories of several servers compared`)
  const differences = differencesOf(result)
  console.log(differences === 0 ? 'no differences in replication' : `${differences} differences in replication`)
}

/**
 * The shape of `replication` in `--json`: null if it was skipped, or { sequences, effects, stories,
 * findings, unsupported, differences: [{ sequence, steps, real, simulated } or { story, real,
 * simulated }] }.
 */
export function replicationToJson(result: ReplicationResult | null): unknown {
  if (result === null) return null
  const { streams, stories } = result
  const ofStreams = streams.differences.map(({ sequence, real, simulated }) => {
    return { sequence: sequence.name, steps: sequence.steps.map(describeStep), real, simulated }
  })
  return {
    sequences: streams.sequences,
    effects: streams.effects,
    stories: stories.stories,
    findings: stories.notes,
    unsupported: stories.unsupported,
    differences: [...ofStreams, ...stories.differences],
  }
}
