/**
 * Compares a real Cluster with simulated ones. All execute the same story: a fixed list of queries
 * and faults (story.ts).
 */
import { type ReportedAgain, reportAgain } from '../report-again.ts'
import { realClusterTestBed } from './real-test-bed.ts'
import { SimulatedClusterTestBed } from './simulated-test-bed.ts'
import { type ClusterObservation, reportCluster, type Span } from './story.ts'

export type ClusterResult = ReportedAgain<ClusterJudgement>

interface ClusterJudgement {
  readonly replies: number
  readonly times: readonly { readonly what: string; readonly real: Span; readonly simulatedMs: readonly number[] }[]
  readonly differences: readonly string[]
}

/**
 * Number of simulated runs. Their timing varies with the seed, as the timing of real runs varies by
 * chance.
 */
const seeds = 20
/**
 * How much faster or slower a real run may be than the simulated runs. The limit for slower runs is
 * high, because other processes also use the CPU.
 */
export const tolerance = { fasterMs: 100, slowerMs: 700 }
/** Number of attempts. A difference counts only if it occurs in every attempt. */
const attempts = 2

export async function compareClusters(program: string): Promise<ClusterResult> {
  return reportAgain(() => reportOnce(program), attempts)
}

async function reportOnce(program: string): Promise<ClusterJudgement> {
  const testBed = await realClusterTestBed(program)
  try {
    const real = await reportCluster(testBed)
    const simulated: ClusterObservation[] = []
    for (let seed = 0; seed < seeds; seed++)
      simulated.push(await reportCluster(new SimulatedClusterTestBed(testBed.port, seed)))
    return judge(simulated, real)
  } catch (error) {
    return { replies: 0, times: [], differences: [`Cluster: ${(error as Error).message}`] }
  } finally {
    await testBed.stop()
  }
}

/**
 * Lists the differences of a real run. Each reply of the real run must occur in some simulated run.
 * Each time must be within the tolerance of the simulated times.
 */
export function judge(simulated: readonly ClusterObservation[], real: ClusterObservation): ClusterJudgement {
  const differences: string[] = []
  const say = (what: string, a: unknown, b: unknown) =>
    differences.push(`Cluster: ${what}\n    real:      ${JSON.stringify(a)}\n    simulated: ${JSON.stringify(b)}`)
  for (const [asked, bytes] of Object.entries(real.replies)) {
    if (!simulated.some(({ replies }) => replies[asked] === bytes)) say(asked, bytes, simulated[0]?.replies[asked])
  }
  const times = Object.entries(real.times).map(([what, span]) => {
    return { what, real: span, simulatedMs: simulated.map((one) => one.times[what]!.mostMs).sort((a, b) => a - b) }
  })
  for (const { what, real, simulatedMs } of times) {
    const { leastMs, mostMs } = real
    if (!simulatedMs.some((ms) => mostMs >= ms - tolerance.fasterMs && leastMs <= ms + tolerance.slowerMs))
      say(`${what}, in ms`, [leastMs, mostMs].map(Math.round), simulatedMs.map(Math.round))
  }
  return { replies: Object.keys(real.replies).length, times, differences }
}
