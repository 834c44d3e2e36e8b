/**
 * Executes commands of a run again, at their original times, on a new simulated server without a
 * world around it.
 */
import { readReply } from 'test-servers'
import { epochMs } from 'virtual-node/kernel'
import type { ExecutedCommand } from '../../../sim/world.ts'
import { replyOf } from '../../model/live-replies.ts'
import { Model } from '../../model/model.ts'
import { scriptSha } from '../../model/script-sha.ts'
import { replyClass } from '../deciding-step.ts'
import type { Evidence } from './evidence.ts'
import { atUsOf } from './fate.ts'

/** The class of each command's reply; null if the server did not execute one of the commands. */
export function answersTo(commands: readonly ExecutedCommand[], evidence: Evidence): readonly string[] | null {
  const model = new Model()
  model.connect(0)
  const bodies = bodiesIn(evidence)
  const answers: string[] = []
  for (const command of commands) {
    model.nowUs = epochMs * 1000 + atUsOf(evidence, command)
    const answer = model.execute(0, withBody(command.args, bodies))
    if ('none' in answer) return null
    answers.push(replyClass(replyOf(readReply(answer.reply, 0)!)))
  }
  return answers
}

/** The bodies of scripts by SHA-1, if the run sent them with EVAL. */
function bodiesIn({ executed }: Evidence): ReadonlyMap<string, string> {
  const bodies = new Set(executed.flatMap(({ args }) => (/^eval$/i.test(args[0]!) ? [args[1]!] : [])))
  return new Map([...bodies].map((body) => [scriptSha(body), body]))
}

function withBody(args: readonly string[], bodies: ReadonlyMap<string, string>): readonly string[] {
  const body = /^evalsha$/i.test(args[0]!) ? bodies.get(args[1]!.toLowerCase()) : undefined
  return body === undefined ? args : ['EVAL', body, ...args.slice(2)]
}
