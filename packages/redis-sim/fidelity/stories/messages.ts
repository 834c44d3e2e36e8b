/** Stories about publishing and subscribing, in both protocol versions. */
import type { Sequence } from '../step.ts'
import { pipeline, raw, receive, run, send, story } from './story.ts'

const rounds = (protocol: string): Sequence[] => [
  story(
    `messages, RESP${protocol}`,
    2,
    raw(pipeline(`HELLO ${protocol}`, 'SUBSCRIBE news other news'), 4),
    run('PUBLISH news hello', 1),
    receive(0, 1),
    raw(pipeline('PSUBSCRIBE n*'), 1),
    run('PUBLISH news twice', 1),
    receive(0, 2),
    run('PUBLISH nothing once', 1),
    receive(0, 1),
    run('PUBSUB CHANNELS', 1),
    run('PUBSUB CHANNELS o*', 1),
    run('PUBSUB NUMSUB news none', 1),
    run('PUBSUB NUMPAT', 1),
    raw(pipeline('PING', 'PING me', 'GET a', 'UNSUBSCRIBE other', 'PUNSUBSCRIBE nope'), 5),
    raw(pipeline('UNSUBSCRIBE', 'PUNSUBSCRIBE', 'UNSUBSCRIBE', 'PING', 'GET a'), 5),
    run('PUBLISH news nobody', 1),
  ),
  story(
    `shards, RESP${protocol}`,
    2,
    raw(pipeline(`HELLO ${protocol}`, 'SSUBSCRIBE s', 'SUBSCRIBE s'), 3),
    run('SPUBLISH s a', 1),
    receive(0, 1),
    run('PUBLISH s b', 1),
    receive(0, 1),
    run('PUBSUB SHARDCHANNELS', 1),
    run('PUBSUB SHARDNUMSUB s t', 1),
    raw(pipeline('SUNSUBSCRIBE', 'RESET', 'GET a'), 3),
    run('PUBLISH s c', 1),
  ),
]

export const messages: readonly Sequence[] = [
  ...rounds('2'),
  ...rounds('3'),
  story('subscribing within MULTI', 1, raw(pipeline('MULTI', 'SUBSCRIBE a b', 'PING', 'EXEC'), 4), run('PING')),
  story(
    'a message published by a script and by a transaction',
    2,
    raw(pipeline('SUBSCRIBE news'), 1),
    run('EVAL return{redis.call("PUBLISH","news","x")} 0', 1),
    receive(0, 1),
    run('MULTI', 1),
    run('PUBLISH news y', 1),
    run('EXEC', 1),
    receive(0, 1),
    ...send(0, 'QUIT'),
  ),
]
