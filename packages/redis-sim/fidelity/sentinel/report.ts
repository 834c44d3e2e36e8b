import { type SentinelResult, tolerance } from './compare.ts'

export function printSentinels({ stories, facts, times, differences, unconfirmed }: SentinelResult): void {
  console.log(`Sentinels: ${stories} stories of three Sentinels and three servers, ${facts} facts compared`)
  for (const { story, what, realMs, simulatedMs } of times) {
    const [least, median, most] = [0, 0.5, 1].map((part) => simulatedMs[Math.round(part * (simulatedMs.length - 1))]!)
    console.log(`  ${story}: ${what}: ${ms(realMs)}, simulated ${ms(median!)} (${ms(least!)} to ${ms(most!)})`)
  }
  console.log(`  tolerated: ${tolerance.fasterMs} ms faster and ${tolerance.slowerMs} ms slower than a simulated run`)
  for (const difference of differences) console.log(`\ndifference in ${difference}`)
  for (const once of unconfirmed) console.log(`did not come back when told again: ${once}`)
  console.log(differences.length === 0 ? 'no differences between Sentinels' : `${differences.length} differences`)
}

function ms(value: number): string {
  return `${Math.round(value)} ms`
}
