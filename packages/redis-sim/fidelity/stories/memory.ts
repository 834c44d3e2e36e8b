/** Stories about MEMORY USAGE of all encodings. */
import { command, type Sequence, type Step } from '../step.ts'
import { run, story } from './story.ts'

const lengths = [0, 1, 3, 4, 5, 11, 12, 20, 28, 43, 44, 45, 60, 61, 100, 124, 125, 252, 253, 255, 256, 300, 1000, 5000]
const many = Array.from({ length: 200 }, (_, at) => `member ${at}`)

function usage(...args: string[]): Step[] {
  return [command(0, ...args), command(0, 'MEMORY', 'USAGE', args[1]!), run(`DEL ${args[1]!}`)]
}

export const memory: readonly Sequence[] = [
  story(
    'MEMORY USAGE',
    1,
    run('MEMORY USAGE none'),
    run('MEMORY USAGE none SAMPLES'),
    run('MEMORY USAGE none SAMPLES x'),
    run('MEMORY USAGE none SAMPLES -1'),
    run('MEMORY USAGE none nope 1'),
    run('MEMORY USAGE none SAMPLES 3'),
    ...lengths.flatMap((length) => usage('SET', 'k', 'x'.repeat(length))),
    ...[1, 6, 7, 14, 15, 30, 31, 32, 44, 45, 100, 300].flatMap((length) => usage('SET', 'k'.repeat(length), '12345')),
    ...[1, 5, 20, 60, 64].flatMap((length) => usage('HSET', 'k', 'f', 'x'.repeat(length), 'g', '12', 'h', 'abc')),
    ...[1, 5, 20, 60, 64].flatMap((length) => usage('ZADD', 'k', '1', 'x'.repeat(length), '2.5', 'abc')),
    ...[['1'], ['1', '2', '3'], ['1', '70000'], ['1', '5000000000']].flatMap((words) => usage('SADD', 'k', ...words)),
    ...usage('RPUSH', 'k', 'a', 'b', 'c'),
    ...usage('RPUSH', 'k', ...many),
    ...usage('SADD', 'k', ...many),
    ...usage('HSET', 'k', ...many.flatMap((text) => [text, 'x'.repeat(70)])),
    ...usage('ZADD', 'k', ...many.flatMap((text, at) => [String(at), text])),
    run('SET n 5'),
    run('MEMORY USAGE n SAMPLES 0'),
  ),
]
