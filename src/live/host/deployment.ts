/**
 * Runs the adapter's `deploy` in a separate process before everything else. Faults do not affect
 * that process.
 */

import { LiveProblem } from '../environment/problem.ts'
import type { RunDirectory } from '../environment/run-directory.ts'
import { ConsumerProcess, type Program } from './consumer-process.ts'
import type { ToConsumer } from './protocol.ts'

const timeoutMs = 10_000

type DeployOrder = Extract<ToConsumer, { type: 'deploy' }>

/**
 * Deploys the layer.
 * @throws LiveProblem if that fails or does not finish in time
 */
export async function deployFirst(program: Program, directory: RunDirectory, order: DeployOrder): Promise<void> {
  const operator = new ConsumerProcess(program, 'operator', 0, directory.env, directory.started)
  try {
    const problem = (await operator.loaded) ?? (await deployed(operator, order))
    if (problem !== null) throw new LiveProblem('the adapter', `its \`deploy\` fails (${problem})`)
  } finally {
    await operator.kill()
  }
}

function deployed(operator: ConsumerProcess, order: DeployOrder): Promise<string | null> {
  return new Promise((resolve) => {
    const timer = setTimeout(() => resolve('it never settles'), timeoutMs)
    const settle = (problem: string | null): void => {
      clearTimeout(timer)
      resolve(problem)
    }
    operator.attach({
      heard(message) {
        if (message.type === 'deployed') settle(null)
        else if (message.type === 'deploy-failed') settle(message.error)
        else if (message.type === 'outside-prefix') settle(`it uses a key outside the prefix: ${message.command}`)
      },
      printed: () => {},
      exited: settle,
    })
    operator.send(order)
  })
}
