/**
 * Stories about keyspace notifications: one subscriber receives the events of another client's
 * commands.
 */
import type { Sequence, Step } from '../step.ts'
import { pipeline, raw, receive, run, story } from './story.ts'

/** Runs a command and receives this number of events. */
function heard(text: string, events: number): Step[] {
  return [run(text, 1), ...(events === 0 ? [] : [receive(0, events)])]
}

const reported: readonly (readonly [string, number])[] = [
  ['SET a 1', 1],
  ['SET a 1 EX 100', 2],
  ['SET a 2 KEEPTTL', 1],
  ['INCR a', 1],
  ['DECRBY a 3', 1],
  ['INCRBYFLOAT a 0.5', 1],
  ['APPEND a x', 1],
  ['SETRANGE a 1 y', 1],
  ['SETBIT a 3 1', 1],
  ['GETEX a PERSIST', 1],
  ['GETEX a EX 100', 1],
  ['PERSIST a', 1],
  ['EXPIRE a 100', 1],
  ['EXPIRE a -1', 1],
  ['SET a 1 PXAT 1', 2],
  ['GET a', 1],
  ['MSET a 1 b 2', 2],
  ['GETSET a 2', 1],
  ['GETDEL a', 1],
  ['DEL a b', 1],
  ['DEL a b', 0],
  ['RPUSH l a b c', 1],
  ['LSET l 0 z', 1],
  ['LINSERT l BEFORE b x', 1],
  ['LREM l 1 x', 1],
  ['LTRIM l 0 1', 1],
  ['LMOVE l m LEFT RIGHT', 2],
  ['LPOP l 9', 2],
  ['RENAME m n', 2],
  ['COPY n o', 1],
  ['SADD s 1 2 3', 1],
  ['SMOVE s t 1', 2],
  ['SREM s 2', 1],
  ['SPOP s 9', 2],
  ['SUNIONSTORE u t', 1],
  ['SINTERSTORE u none', 1],
  ['HSET h f 1', 1],
  ['HINCRBY h f 1', 1],
  ['HINCRBYFLOAT h f 0.5', 1],
  ['HDEL h f', 2],
  ['ZADD z 1 a 2 b 3 c 4 d 5 e', 1],
  ['ZINCRBY z 1 a', 1],
  ['ZREM z a', 1],
  ['ZREMRANGEBYSCORE z 2 2', 1],
  ['ZREMRANGEBYRANK z 0 0', 1],
  ['ZUNIONSTORE y 1 z', 1],
  ['ZRANGESTORE x z 0 -1', 1],
  ['ZPOPMIN z', 1],
  ['ZPOPMAX z', 2],
  ['ZDIFFSTORE y 1 z', 1],
  ['XADD q 1-1 a b', 1],
  ['XADD q MAXLEN 1 2-1 a b', 2],
  ['XGROUP CREATE q g 0', 1],
  ['XGROUP CREATECONSUMER q g c', 1],
  ['XREADGROUP GROUP g d STREAMS q >', 1],
  ['XGROUP SETID q g 0', 1],
  ['XGROUP DELCONSUMER q g d', 1],
  ['XGROUP DESTROY q g', 1],
  ['XSETID q 9-9', 1],
  ['XDEL q 2-1', 1],
  ['SORT t STORE v', 1],
  ['BITOP NOT w n2', 0],
  ['MOVE v 1', 2],
  ['FLUSHDB', 0],
  // If there were unexpected events, they would arrive before this message.
  ['PUBLISH __key_last x', 1],
]

export const events: readonly Sequence[] = [
  story(
    'events of every command that makes one',
    2,
    run('CONFIG SET notify-keyspace-events AE', 1),
    run('CONFIG GET notify-keyspace-events', 1),
    raw(pipeline('PSUBSCRIBE __key*'), 1),
    ...reported.flatMap(([text, count]) => heard(text, count)),
  ),
  story(
    'events by key, of one kind, of misses and of new keys',
    2,
    run('CONFIG SET notify-keyspace-events KElmn', 1),
    run('CONFIG GET notify-keyspace-events', 1),
    raw(pipeline('PSUBSCRIBE __key*'), 1),
    ...heard('SET a 1', 2),
    ...heard('SET a 2', 0),
    ...heard('GET none', 2),
    ...heard('RPUSH l x', 4),
    ...heard('LPOP l', 2),
    ...['EXISTS none', 'TTL none', 'TYPE none', 'HGET none f', 'LLEN none', 'STRLEN none', 'GETDEL none'].flatMap(
      (text) => heard(text, 2),
    ),
    ...['OBJECT ENCODING none', 'DEL none', 'EXPIRE none 5', 'INCR n'].flatMap((text) => heard(text, 0)),
    receive(0, 2),
    run('PUBLISH __key_last x', 1),
    receive(0, 1),
  ),
  story(
    'flags as they are given and printed',
    1,
    ...['KEA', 'AKE', 'g$lshzxetd', 'An', 'mn', 'gnK', 'x', 'q', ''].flatMap((flags) => [
      run(`CONFIG SET notify-keyspace-events ${flags}`),
      run('CONFIG GET notify-keyspace-events'),
    ]),
  ),
]
