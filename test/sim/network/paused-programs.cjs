/**
 * Programs of a process that is paused while something comes for it: the same code for real and virtual sockets. Each pauses itself by
 * `stop`; a real one is stopped by the system then and there, whatever the machine does beside it.
 */
const net = require('node:net')

const told = (error) => (error ? `${error.code} ${error.syscall}` : 'taken')

/** Where Node's event loop is when the process stops: with timers to look at next, or with sockets. */
const where = {
  'before timers': (stop) => setImmediate(stop),
  'before sockets': (stop) => stop(),
}

/** A client that tells of all that it sees of its socket, and is over soon after `close`. It stops soon after it is connected. */
function watched(work = () => {}, stopping = 'before timers') {
  return (at, log, over, stop) => {
    const socket = net.connect(at)
    for (const event of ['connect', 'end', 'finish']) socket.on(event, () => log(event))
    socket.on('data', (data) => log(`data ${data}`))
    socket.on('error', (error) => log(`error ${told(error)}`))
    socket.on('close', (hadError) => {
      log(`close ${hadError}`)
      setTimeout(over, 50)
    })
    // By then it has called connect(2), and has not polled.
    if (stopping === 'at once') process.nextTick(() => process.nextTick(stop))
    else socket.on('connect', () => setTimeout(() => where[stopping](stop), 10))
    work(socket, (error) => log(`written ${told(error)}`), log)
  }
}

/** A client with timers that are due while it is paused. */
const timed = (stopping) => (at, log, over, stop) => {
  const socket = net.connect(at)
  socket.on('data', (data) => log(`data ${data}`))
  socket.on('connect', () => {
    const timer = (ms, work = () => {}) =>
      setTimeout(() => {
        log(`timer of ${ms} ms`)
        work()
      }, ms)
    timer(300)
    timer(120)
    timer(90, () => {
      process.nextTick(() => log('its tick'))
      void Promise.resolve().then(() => log('its microtask'))
      setImmediate(() => log('its immediate'))
      timer(1)
    })
    timer(100)
    // Of delays that there are, and due after timers of others.
    setTimeout(() => {
      timer(90)
      timer(100)
      where[stopping](stop)
    }, 60)
    setTimeout(() => {
      socket.destroy()
      over()
    }, 2000)
  })
}

/** A client that is stopped in the middle of a turn, and goes on with the rest of it. */
const stoppedThen = (rest) => (at, log, over, stop) => {
  const socket = net.connect(at)
  socket.on('error', (error) => log(`error ${told(error)}`))
  socket.on('close', (hadError) => {
    log(`close ${hadError}`)
    setTimeout(over, 50)
  })
  socket.on('connect', () =>
    setTimeout(() => {
      stop()
      rest(socket)
    }, 10),
  )
}

function writesByTimer(socket, done, log) {
  socket.on('connect', () =>
    setTimeout(() => {
      log('timer')
      socket.write('late', done)
    }, 100),
  )
}

exports.programs = {
  'has timers': timed('before timers'),
  'has timers, and is stopped in one': timed('before sockets'),
  reads: watched(),
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
  'has not looked': watched(undefined, 'at once'),
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
}
