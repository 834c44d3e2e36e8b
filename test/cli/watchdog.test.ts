import { spawnSync } from 'node:child_process'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'
import { createBoard, lookAt, takeSeat } from '../../src/cli/play-board.ts'
import { temporaryFolder, write } from './run-cli.ts'

const packageFolder = fileURLToPath(new URL('../../', import.meta.url))
const address = { implementation: './my layer.ts', scenario: 'lost-reply', sink: 'plain', seed: 7, run: 12 } as const

/** A process whose main thread is in a run, and does that in it. */
function inRun(what: string, args: readonly string[] = []) {
  const file = write(
    temporaryFolder(),
    'play.mts',
    `import { createBoard, takeSeat } from ${JSON.stringify(path.join(packageFolder, 'src/cli/play-board.ts'))}
import { startWatchdog } from ${JSON.stringify(path.join(packageFolder, 'src/cli/watchdog.ts'))}
const board = createBoard()
startWatchdog(board, process.argv.includes('--json'), { wallMs: 400, cpuMs: 200 })
const seat = takeSeat(board)
seat.playing(${JSON.stringify(address)})
seat.begun()
${what}
`,
  )
  return spawnSync(process.execPath, ['--import', 'tsx', file, ...args], { cwd: packageFolder, encoding: 'utf8' })
}

it('a turn that never ends is named in one line, with the command that replays its run, and exit code 3', () => {
  const { status, stderr, stdout } = inRun('while (true) {}')
  expect(stderr).toMatch(
    /^onceproof: \.\/my layer\.ts under lost-reply, seed 7, run 12: a turn of the layer has not ended .*: a loop without end\? pnpm sim replay --seed 7 --run 12 --impl '\.\/my layer\.ts' --scenario lost-reply --sink plain\n$/,
  )
  expect({ status, stdout }).toEqual({ status: 3, stdout: '' })
}, 60_000)

it('is the one document on standard output under --json', () => {
  const { status, stderr, stdout } = inRun('while (true) {}', ['--json'])
  expect(JSON.parse(stdout).error.culprit).toBe('./my layer.ts under lost-reply, seed 7, run 12')
  expect({ status, stderr }).toEqual({ status: 3, stderr: '' })
}, 60_000)

it('names no run that waits without work, and none that follows another', () => {
  const waits = inRun(`setTimeout(() => process.exit(0), 2_000)`)
  expect({ status: waits.status, stderr: waits.stderr }).toEqual({ status: 0, stderr: '' })
  const follows = inRun(
    'for (const end = Date.now() + 2_000; Date.now() < end; ) { seat.ended(); seat.begun() }\nprocess.exit(0)',
  )
  expect({ status: follows.status, stderr: follows.stderr }).toEqual({ status: 0, stderr: '' })
}, 60_000)

it('a board shows what each thread is playing, and nothing between two runs', () => {
  const board = createBoard()
  const seats = [takeSeat(board), takeSeat(board)]
  seats[1]!.playing(address)
  expect(lookAt(board, 1)).toBeNull()
  seats[1]!.begun()
  expect(lookAt(board, 1)).toMatchObject({ address })
  expect(lookAt(board, 0)).toBeNull()
  seats[1]!.ended()
  expect(lookAt(board, 1)).toBeNull()
})
