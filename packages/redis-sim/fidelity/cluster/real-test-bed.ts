import { RealCluster } from 'test-servers'
import type { ClusterTestBed } from './test-bed.ts'

/** A real Cluster in real time. */
export async function realClusterTestBed(program: string): Promise<ClusterTestBed & { readonly port: number }> {
  const startedMs = performance.now()
  return Object.assign(await RealCluster.start(program), {
    launchedMs: 0,
    nowMs: () => performance.now() - startedMs,
    wait: (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms)),
    dawdle: async () => {},
  })
}
