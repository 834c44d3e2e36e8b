/** A sentence contains only what the facts prove. */

import { ErrorReply, OK } from 'redis-sim/resp'
import { describe, expect, it } from 'vitest'
import { story } from './story.ts'

/** One attempt claims, dies after it has sent its effect, and its claim expires. */
function dead(between: (command: ReturnType<typeof story>['command']) => void) {
  const { history, command, why } = story()
  history.publish('m1').deliver(1, 'm1', 'a')
  command('a', 'SET k1 taken EX 5 NX', OK)
  between(command)
  history.send(1, 1).apply(1).crash('a').at(9_000).loseData('expiry', ['k1']).deliver(2, 'm1', 'b', 2)
  command('b', 'SET k1 taken EX 5 NX', OK)
  history.send(2, 2).apply(2)
  return why('repeat-after-crash')
}

describe('a cause', () => {
  it('omits a time to live that was changed later', () => {
    expect(dead(() => {})).toContain('the claim expired after 5 s, and')
    expect(dead((command) => command('a', 'EXPIRE k1 5', 0))).toContain('the claim expired after 5 s, and')
    expect(dead((command) => command('a', 'EXPIRE k1 8', 1))).toContain('the claim expired, and')
  })

  it('does not mistake an error for a found value', () => {
    const found = (reply: string | ErrorReply) => {
      const { history, command, why } = story()
      history.publish('m1').deliver(1, 'm1', 'a')
      command('a', 'SET k1 taken', OK)
      history.send(1, 1).apply(1).crash('a').deliver(2, 'm1', 'b', 2)
      command('b', 'GET k1', reply)
      history.send(2, 2).apply(2)
      return why('repeat-after-crash')
    }
    expect(found('taken')).toContain('the next attempt found what was there (GET answered taken)')
    expect(found(new ErrorReply('LOADING Redis is loading the dataset in memory'))).toBe(
      'GET of the next attempt was answered error LOADING, and it performed anyway',
    )
  })

  it('does not mistake WATCH for a read', () => {
    const { history, command, why } = story()
    history.publish('m1').deliver(1, 'm1', 'a').deliver(2, 'm1', 'b')
    command('b', 'GET k1', null)
    command('a', 'SET k1 taken', OK)
    command('b', 'WATCH k1', OK)
    history.send(1, 1).apply(1).crash('a').send(2, 2).apply(2)
    expect(why('repeat-after-crash')).not.toContain('found what was there')
  })

  it('is an ended lease only if the late attempt held it and none of its requests was lost', () => {
    const late = (how: 'held' | 'looked' | 'its request was lost') => {
      const { history, command, why } = story()
      history.publish('m1').deliver(1, 'm1', 'a')
      if (how === 'looked') command('a', 'GET k1', null)
      else command('a', 'SET k1 a EX 1 NX', OK)
      if (how === 'looked') command('c', 'SET k1 c EX 1', OK)
      history.at(1_000).loseData('expiry', ['k1']).deliver(2, 'm1', 'b', 2)
      if (how === 'its request was lost') history.add({ type: 'request-lost', process: 'a', command: 'PEXPIRE' })
      command('b', 'SET k1 b EX 1 NX', OK)
      history.send(2, 2).apply(2).done(2).send(1, 1).apply(1)
      return why('zombie')
    }
    const lease =
      'the lease ended while the holder was still at work, and no command checked it again before the effect'
    expect(late('held')).toBe(lease)
    expect(late('looked')).not.toContain('lease')
    expect(late('its request was lost')).not.toContain('no command checked it again')
  })

  it('is two reads before either write only if both attempts read', () => {
    const raced = (firstLooks: boolean) => {
      const { history, command, why } = story()
      history.publish('m1').deliver(1, 'm1', 'a').deliver(2, 'm1', 'b')
      if (firstLooks) command('a', 'GET k1', null)
      command('b', 'GET k1', null)
      command('a', 'SET k1 taken', OK)
      command('b', 'SET k1 taken', OK)
      history.send(1, 1).send(2, 2).apply(1).apply(2)
      return why('duplicate')
    }
    expect(raced(true)).toContain('both attempts looked')
    expect(raced(false)).toBe(
      'the process of the second attempt looked (GET) while the first attempt was at work and had written nothing there yet',
    )
  })

  it('is an overwritten record only if another attempt had written there', () => {
    const wrote = (name: string) => {
      const { history, command, why } = story()
      history.publish('m1').deliver(1, 'm1', 'a').deliver(2, 'm1', 'b')
      command('a', 'SET k1 done', OK)
      history.send(1, 1).apply(1).done(1)
      command('b', `SET ${name} mine`, OK)
      history.send(2, 2).apply(2)
      return why('duplicate')
    }
    expect(wrote('k1')).toContain('wrote over the record of it')
    expect(wrote('heartbeat:k1')).toBe('the last effect was sent after SET had answered OK')
  })

  it('is a missing claim only if the read was of that claim', () => {
    const gone = (claim: string, looked: string) => {
      const { history, command, why } = story()
      history.publish('m1').deliver(1, 'm1', 'a').deliver(2, 'm1', 'b').send(1, 1).apply(1)
      command('b', claim, null)
      command('b', `GET ${looked}`, null)
      history.send(2, 2).apply(2)
      return why('zombie')
    }
    expect(gone('SET k1 taken NX', 'k1')).toContain('its claim was refused')
    expect(gone('SET k1 taken NX', 'result:k1')).not.toContain('its claim was refused')
    expect(gone('SET k1 taken XX', 'k1')).not.toContain('its claim was refused')
  })

  it('is a deletion by the first attempt only if no later delivery made it', () => {
    const deleted = (again: boolean) => {
      const { history, command, why } = story()
      history.publish('m1').deliver(1, 'm1', 'a')
      command('a', 'SET k1 a NX', OK)
      history.send(1, 1).apply(1).done(1)
      if (again) history.deliver(3, 'm1', 'a', 2)
      command('a', 'DEL k1', 1)
      if (again) history.done(3)
      history.deliver(2, 'm1', 'b', 3)
      command('b', 'SET k1 b NX', OK)
      history.send(2, 2).apply(2)
      return why('duplicate')
    }
    expect(deleted(false)).toContain('the first attempt deleted its claim')
    expect(deleted(true)).not.toContain('the first attempt deleted')
  })

  it('does not end a working attempt, and does not lose a reply that came', () => {
    const { history, command, why } = story()
    history.publish('m1').deliver(1, 'm1', 'a')
    command('a', 'SET k1 taken NX', OK)
    history.deliver(2, 'm1', 'b', 2)
    command('b', 'SET k1 taken NX', null)
    history.done(2, null).crash('a').rest()
    expect(why('done-without-effect', 'answered')).toBe(
      'a claim was mistaken for an effect: the attempt that had written it had not sent one yet, and the next one answered done (SET NX answered nothing)',
    )
    const own = (lost: string) => {
      const { history, command, why } = story()
      history.publish('m1').deliver(1, 'm1', 'a')
      command('a', 'SET k1 taken NX', OK)
      history.add({ type: 'reply-lost', process: 'a', command: lost })
      command('a', 'SET k1 taken NX', null)
      history.answer(1, { status: 'retry' }).rest()
      return why('retry-goes-on', 'delivered', 'answered')
    }
    expect(own('SET')).toContain('the reply to SET NX was lost')
    expect(own('GET')).not.toContain('was lost')
  })

  it('ignores events just after a command', () => {
    const looked = () => {
      const { history, command, why } = story()
      history.publish('m1').publish('m2').deliver(2, 'm2', 'b')
      command('b', 'GET k1', null)
      history.deliver(1, 'm1', 'a').send(1, 1).apply(1).send(2, 2).apply(2)
      return why('duplicate')
    }
    expect(looked()).toBe('an attempt looked before another one began, and performed after it without looking again')
    const refused = () => {
      const reported = story()
      reported.history.publish('m1').deliver(1, 'm1', 'a')
      reported.command('a', 'SET k1 taken EX 300 NX', OK)
      reported.history.deliver(2, 'm1', 'b', 2)
      reported.command('b', 'SET k1 taken EX 300 NX', null)
      reported.history.crash('a')
      return reported
    }
    const done = refused()
    done.history.done(2, null).rest()
    expect(done.why('done-without-effect', 'answered')).toContain('had not sent one yet')
    const putOff = refused()
    putOff.history.answer(2, { status: 'retry' }).rest()
    expect(putOff.why('retry-goes-on', 'delivered', 'answered')).not.toContain('left its claim behind')
  })

  it('does not name the holder by a script that may have asked something else', () => {
    const { history, command, why } = story()
    history.publish('m1').deliver(1, 'm1', 'a')
    command('a', 'EVALSHA acquire 1 k1', 1)
    history.send(1, 1).at(1_000).deliver(2, 'm1', 'b', 2)
    command('b', 'EVALSHA acquire 1 k1', 1)
    command('b', 'EVALSHA extend 1 k1', 1)
    history.send(2, 2).apply(1).apply(2)
    expect(why('zombie')).toBe(
      'the next attempt performed after the script extend had answered 1, while the first was still at work, for longer than its lease',
    )
  })

  it('has no reason if a script granted the next attempt, which may be a bug or an ended lease', () => {
    const causeAt = (ms: number) => {
      const { history, command, causeOf } = story()
      history.publish('m1').deliver(1, 'm1', 'a')
      command('a', 'EVALSHA acquire 1 k1', 1)
      history.send(1, 1).at(ms).deliver(2, 'm1', 'b', 2)
      command('b', 'EVALSHA acquire 1 k1', 1)
      history.send(2, 2).apply(1).apply(2)
      return causeOf('zombie')
    }
    for (const { why, reason } of [causeAt(1_000), causeAt(60_000)]) {
      expect(why).toContain('the next attempt performed after the script acquire had answered 1')
      expect(reason).toBeNull()
    }
  })

  it('has no reason if a script granted another attempt before the late holder, but has the holder’s last command', () => {
    const late = (how: 'paused' | 'at work' | 'asked again' | 'its request was lost') => {
      const { history, command, causeOf } = story()
      history.publish('m1').deliver(1, 'm1', 'a')
      command('a', 'EVALSHA acquire 1 k1', 'acquired')
      if (how === 'paused') history.add({ type: 'process-paused', process: 'a' })
      history.at(60_000).deliver(2, 'm1', 'b', 2)
      command('b', 'EVALSHA acquire 1 k1', 'taken-over')
      history.send(2, 2).apply(2)
      if (how === 'asked again') command('a', 'EVALSHA renew 1 k1', 1)
      if (how === 'its request was lost') history.add({ type: 'request-lost', process: 'a', command: 'EVALSHA renew' })
      history.send(1, 1).apply(1)
      return causeOf('zombie')
    }
    const said =
      'after the script acquire had answered acquired, another attempt came and performed, and the holder did not check its claim again before its effect'
    expect(late('paused')).toEqual({ why: `the holder stalled ${said}`, reason: null })
    expect(late('at work')).toEqual({ why: `the holder was at work ${said}`, reason: null })
    expect(late('asked again').why).not.toContain('did not check its claim again')
    expect(late('its request was lost').why).not.toContain('did not check its claim again')
  })

  it('does not blame a key without expiry on a command that deleted it, or before it got an expiry', () => {
    const kept = (...words: readonly string[]) => {
      const { history, command, why } = story()
      history.publish('m1').deliver(1, 'm1', 'a')
      for (const one of words) command('a', one, one.startsWith('SET') ? OK : 1)
      history.done(1)
      history.add({ type: 'keys-counted', keys: 1, withoutExpiry: 1, namesWithoutExpiry: ['k1'] })
      return why('named-after-a-message', 'keys-counted')
    }
    expect(kept('SET k1 a')).toContain('nothing set one')
    expect(kept('SET k1 a', 'EXPIRE k1 9', 'PERSIST k1')).toBe('something happened')
    expect(kept('SET k1 a', 'DEL k1')).toBe('something happened')
  })
})
