/** A real Cluster compared with simulated ones, by one long story. */
import { RealClusterStage } from './real-stage.ts'
import { SimulatedClusterStage } from './simulated-stage.ts'
import { type ClusterObservation, tellOfCluster } from './story.ts'

export interface ClusterResult {
  readonly replies: number
  readonly times: readonly { readonly what: string; readonly realMs: number; readonly simulatedMs: readonly number[] }[]
  readonly differences: readonly string[]
  /** Not seen any more when the story was told again. */
  readonly unconfirmed: readonly string[]
}

/** Simulated runs, which differ as real ones do. */
const seeds = 20
/** By how much a real run may be faster than a simulated one, and slower: other processes want the processor, too. */
export const tolerance = { fasterMs: 100, slowerMs: 700 }
/** A difference counts when it comes every time. */
const attempts = 2

export async function compareClusters(program: string): Promise<ClusterResult> {
  const tellings = [await tellOnce(program)]
  while (tellings.at(-1)!.differences.length > 0 && tellings.length < attempts) tellings.push(await tellOnce(program))
  const last = tellings.pop()!
  return { ...last, unconfirmed: tellings.flatMap(({ differences }) => differences) }
}

async function tellOnce(program: string): Promise<ClusterResult> {
  const stage = await RealClusterStage.start(program)
  try {
    const real = await tellOfCluster(stage)
    const simulated: ClusterObservation[] = []
    for (let seed = 0; seed < seeds; seed++)
      simulated.push(await tellOfCluster(new SimulatedClusterStage(stage.port, seed)))
    return judge(simulated, real)
  } catch (error) {
    return { replies: 0, times: [], differences: [`Cluster: ${(error as Error).message}`], unconfirmed: [] }
  } finally {
    await stage.stop()
  }
}

/** A real run must be like one of the simulated ones, reply by reply, and time by time within the tolerance. */
export function judge(simulated: readonly ClusterObservation[], real: ClusterObservation): ClusterResult {
  const differences: string[] = []
  const say = (what: string, a: unknown, b: unknown) =>
    differences.push(`Cluster: ${what}\n    real:      ${JSON.stringify(a)}\n    simulated: ${JSON.stringify(b)}`)
  for (const [asked, bytes] of Object.entries(real.replies)) {
    if (!simulated.some(({ replies }) => replies[asked] === bytes)) say(asked, bytes, simulated[0]?.replies[asked])
  }
  const times = Object.entries(real.times).map(([what, realMs]) => {
    return { what, realMs, simulatedMs: simulated.map((one) => one.times[what]!).sort((a, b) => a - b) }
  })
  for (const { what, realMs, simulatedMs } of times) {
    if (!simulatedMs.some((ms) => realMs >= ms - tolerance.fasterMs && realMs <= ms + tolerance.slowerMs))
      say(`${what}, in ms`, Math.round(realMs), simulatedMs.map(Math.round))
  }
  return { replies: Object.keys(real.replies).length, times, differences, unconfirmed: [] }
}
