import { type ClusterResult, tolerance } from './compare.ts'

export function printClusters({ replies, times, differences, unconfirmed }: ClusterResult): void {
  console.log(`Cluster: a story of six nodes, ${replies} connections compared byte for byte`)
  for (const { what, real, simulatedMs } of times) {
    const [least, median, most] = [0, 0.5, 1].map((part) => simulatedMs[Math.round(part * (simulatedMs.length - 1))]!)
    console.log(`  ${what}: ${ms(real.mostMs)}, simulated ${ms(median!)} (${ms(least!)} to ${ms(most!)})`)
  }
  console.log(`  tolerated: ${tolerance.fasterMs} ms faster and ${tolerance.slowerMs} ms slower than a simulated run`)
  for (const difference of differences) console.log(`\ndifference in ${difference}`)
  for (const once of unconfirmed) console.log(`did not come back when told again: ${once}`)
  console.log(differences.length === 0 ? 'no differences between Clusters' : `${differences.length} differences`)
}

function ms(value: number): string {
  return `${Math.round(value)} ms`
}
