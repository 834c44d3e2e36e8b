/**
 * Programs of a process that is paused while bytes arrive, with the same code for real and virtual
 * sockets. Each program pauses itself by `stop`. The system stops a real process at exactly that
 * point, even on a busy machine.
 */
const net = require('node:net')

const told = (error) => (error ? `${error.code} ${error.syscall}` : 'taken')

/**
 * Where the event loop of Node is when the process stops: before its timers or before its sockets.
 */
const where = {
  'before timers': (stop) => setImmediate(stop),
  'before sockets': (stop) => stop(),
}

/**
 * Runs the work after more rounds of the loop than any waiting event takes. The duration of a round
 * depends on the machine.
 */
const later = (work, rounds = 50) => setImmediate(() => (rounds === 0 ? work() : later(work, rounds - 1)))

/** Runs the work after a poll without events. Until then, epoll still lists earlier events. */
const settled = (work) => setTimeout(() => setImmediate(() => setTimeout(work, 10)), 1)

/**
 * Logs all events of a socket, and with `closely` also when immediates run that were created in the
 * same turn.
 */
function tell(socket, log, name = '', closely = false) {
  const say = (what) => {
    log(`${name}${what}`)
    if (closely) setImmediate(() => log(`${name}immediate of ${what}`))
  }
  for (const event of ['connect', 'end', 'finish']) socket.on(event, () => say(event))
  socket.on('data', (data) => say(`data ${data.length > 20 ? `of ${data.length} bytes` : data}`))
  socket.on('error', (error) => say(`error ${told(error)}`))
  socket.on('close', (hadError) => say(`close ${hadError}`))
  return socket
}

/**
 * A client that logs all events of its socket, and ends soon after `close`. It stops soon after it
 * is connected, or after the event `once`.
 */
function watched(work = () => {}, stopping = 'before timers', { closely = false, once = 'connect', ...options } = {}) {
  return (at, log, over, stop) => {
    const socket = tell(net.connect({ ...at, ...options }), log, '', closely)
    socket.on('close', () => later(over))
    // At this point, the client has called connect(2), and has not polled.
    if (stopping === 'at once') process.nextTick(() => process.nextTick(stop))
    else
      socket.on(once, () =>
        settled(() => {
          socket.emit('stops')
          where[stopping](() => {
            stop()
            socket.emit('stopped')
          })
        }),
      )
    work(socket, (error) => log(`written ${told(error)}`), log)
  }
}

/** A client with timers that become due while it is paused. */
const timed = (stopping) => (at, log, over, stop) => {
  const socket = net.connect(at)
  socket.on('data', (data) => log(`data ${data}`))
  const started = []
  const timer = (ms, work = () => {}) =>
    started.push(
      setTimeout(() => {
        log(`timer of ${ms} ms`)
        work()
      }, ms),
    )
  const begin = () => {
    const begunMs = Date.now()
    timer(300)
    timer(120)
    timer(90, () => {
      process.nextTick(() => log('its tick'))
      void Promise.resolve().then(() => log('its microtask'))
      setImmediate(() => log('its immediate'))
      timer(1, () =>
        later(() => {
          socket.destroy()
          over()
        }),
      )
    })
    timer(100)
    // These timers have delays that are already in use, and are due after the timers above.
    setTimeout(() => {
      // The process was delayed for so long that other timers are due in this turn.
      if (Date.now() - begunMs > 80) {
        for (const one of started.splice(0)) clearTimeout(one)
        return begin()
      }
      timer(90)
      timer(100)
      where[stopping](stop)
    }, 60)
  }
  socket.on('connect', begin)
}

/** A client that is stopped in the middle of a turn, and continues with the rest of that turn. */
const stoppedThen = (rest) => (at, log, over, stop) => {
  const socket = net.connect(at)
  socket.on('error', (error) => log(`error ${told(error)}`))
  socket.on('close', (hadError) => {
    log(`close ${hadError}`)
    later(over)
  })
  socket.on('connect', () =>
    settled(() => {
      stop()
      rest(socket)
    }),
  )
}

function writesByTimer(socket, done, log) {
  socket.on('stops', () =>
    setTimeout(() => {
      log('timer')
      socket.write('late', done)
    }, 100),
  )
}

/** A client of two connections. The second one is opened after the first. */
const twofold =
  (stopping, closely = false) =>
  (at, log, over, stop) => {
    const first = net.connect(at, () => {
      const second = net.connect(at, () =>
        settled(() => {
          let closed = 0
          for (const [name, socket] of [
            ['first: ', first],
            ['second: ', second],
          ])
            tell(socket, log, name, closely).on('close', () => {
              if (++closed === 2) later(over)
            })
          setTimeout(() => log('timer'), 100)
          where[stopping](stop)
        }),
      )
    })
  }

/** A client that has pending immediates when it stops. */
const withImmediates = (stopping) => (at, log, over, stop) => {
  const socket = net.connect(at, () =>
    settled(() => {
      tell(socket, log, '', true).on('close', () => later(over))
      setTimeout(() => log('timer'), 100)
      const stopped = () => {
        setImmediate(() => log('immediate made before'))
        stop()
        setImmediate(() => log('immediate made after'))
      }
      if (stopping === 'in a timer') stopped()
      else {
        setImmediate(() => setImmediate(() => log('immediate made by the one before')))
        setImmediate(stopped)
        setImmediate(() => log('immediate of the same round'))
      }
    }),
  )
}

/** Clients that end their side at different times around the stop. */
const endsEarly = (socket) => void socket.on('connect', () => setTimeout(() => socket.end('bye'), 1))
const endsAsItStops = (socket) => void socket.on('stopped', () => socket.end('bye'))
const endsWithoutAWord = (socket) => void socket.on('stopped', () => socket.end())
const endsLate = (socket, done, log) =>
  void socket.on('stops', () =>
    setTimeout(() => {
      log('timer')
      socket.end('late', done)
    }, 100),
  )
const endsSilentlyLate = (socket, _done, log) =>
  void socket.on('stops', () => {
    setTimeout(() => {
      log('timer')
      socket.end()
    }, 100)
    setTimeout(() => log('another timer'), 110)
  })
const writesLater = (socket, done) => void socket.on('end', () => setTimeout(() => socket.write('later', done), 20))

/**
 * A server that logs all events of its connections. It stops soon after `clients` clients have
 * connected.
 */
const serving =
  (clients, stopping, options = {}) =>
  (at, log, over, stop) => {
    let accepted = 0
    const server = net.createServer(options, (socket) => {
      const name = `${accepted++}: `
      log(`${name}connection`)
      setImmediate(() => log(`${name}immediate of connection`))
      tell(socket, log, name, true)
      if (accepted === clients) stopSoon()
    })
    const stopSoon = () =>
      settled(() => {
        setTimeout(() => {
          log('timer')
          later(over)
        }, 100)
        where[stopping](stop)
      })
    server.listen(at.port, at.host, () => {
      log(`listens on ${server.address().port}`)
      if (clients === 0) stopSoon()
    })
  }

/** A server that stops soon after its client has ended, and writes to the client in a timer. */
const servingOnAfterTheEnd = (at, log, over, stop) => {
  const server = net.createServer({ allowHalfOpen: true }, (socket) => {
    tell(socket, log, '', true).on('end', () =>
      settled(() => {
        setTimeout(() => {
          log('timer')
          setTimeout(() => {
            socket.write('late', (error) => log(`written ${told(error)}`))
            later(over)
          }, 10)
        }, 100)
        setImmediate(stop)
      }),
    )
  })
  server.listen(at.port, at.host, () => log(`listens on ${server.address().port}`))
}

exports.programs = {
  'has timers': timed('before timers'),
  'has timers, and is stopped in one': timed('before sockets'),
  reads: watched(),
  'reads closely': watched(undefined, 'before timers', { closely: true }),
  'reads closely, and is stopped in a timer': watched(undefined, 'before sockets', { closely: true }),
  'has not looked': watched(undefined, 'at once'),
  'has not looked, and does so closely': watched(undefined, 'at once', { closely: true }),
  'writes at once': watched((socket, done) => socket.on('data', () => socket.write('again', done))),
  'writes in a microtask': watched((socket, done) =>
    socket.on('data', async () => {
      await null
      socket.write('again', done)
    }),
  ),
  'writes a little later': watched((socket, done) =>
    socket.on('data', () => setImmediate(() => socket.write('again', done))),
  ),
  destroys: watched((socket) => socket.on('data', () => socket.destroy())),
  'is stopped, writes, and destroys its socket': stoppedThen((socket) => {
    socket.write('last words')
    socket.destroy()
  }),
  'is stopped, writes, and resets its connection': stoppedThen((socket) => {
    socket.write('last words')
    socket.resetAndDestroy()
  }),
  'is stopped, writes, ends, and destroys its socket': stoppedThen((socket) => {
    socket.write('last')
    socket.end(' words')
    socket.destroy()
  }),
  'writes by a timer': watched(writesByTimer),
  'writes by a timer, and is stopped in one': watched(writesByTimer, 'before sockets'),
  'reads much': watched(
    (socket, _done, log) => socket.on('data', () => queueMicrotask(() => log('its microtask'))),
    'before timers',
    { closely: true },
  ),
  'ends early': watched(endsEarly, 'before timers', { closely: true, once: 'finish' }),
  'ends early, and is stopped in a timer': watched(endsEarly, 'before sockets', { closely: true, once: 'finish' }),
  'ends as it stops': watched(endsAsItStops, 'before timers', { closely: true }),
  'ends as it stops, which is in a timer': watched(endsAsItStops, 'before sockets', { closely: true }),
  'ends without a word as it stops': watched(endsWithoutAWord, 'before timers', { closely: true }),
  'ends without a word by a timer': watched(endsSilentlyLate, 'before timers', { closely: true }),
  'ends by a timer, half-open': watched(endsLate, 'before timers', { allowHalfOpen: true }),
  'ends by a timer, half-open, and is stopped in one': watched(endsLate, 'before sockets', { allowHalfOpen: true }),
  'writes after the end, half-open': watched(writesLater, 'before timers', { allowHalfOpen: true }),
  'has two connections': twofold('before timers'),
  'has two connections, and is stopped in a timer': twofold('before sockets'),
  'has two connections, and looks closely': twofold('before timers', true),
  'has immediates, and is stopped in a timer': withImmediates('in a timer'),
  'has immediates, and is stopped in one': withImmediates('in an immediate'),
  'serves nobody yet': serving(0, 'before timers'),
  'serves nobody yet, and is stopped in a timer': serving(0, 'before sockets'),
  'serves two': serving(2, 'before timers'),
  'serves two, and is stopped in a timer': serving(2, 'before sockets'),
  'serves on after the end, half-open': servingOnAfterTheEnd,
  'serves two, half-open': serving(2, 'before timers', { allowHalfOpen: true }),
}
