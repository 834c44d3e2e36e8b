/** Programs of a process that is paused while something comes for it: the same code for real and virtual sockets. */
const net = require('node:net')

const told = (error) => (error ? `${error.code} ${error.syscall}` : 'taken')

/** A client that tells of all that it sees of its socket, and is over soon after `close`. */
function watched(work = () => {}) {
  return (at, log, over) => {
    const socket = net.connect(at)
    for (const event of ['connect', 'end', 'finish']) socket.on(event, () => log(event))
    socket.on('data', (data) => log(`data ${data}`))
    socket.on('error', (error) => log(`error ${told(error)}`))
    socket.on('close', (hadError) => {
      log(`close ${hadError}`)
      setTimeout(over, 50)
    })
    work(socket, (error) => log(`written ${told(error)}`), log)
  }
}

/** A client with timers that are due while it is paused, from 200 ms after it is connected on. */
function timed(at, log, over) {
  const socket = net.connect(at)
  socket.on('data', (data) => log(`data ${data}`))
  socket.on('connect', () => {
    const timer = (ms, work = () => {}) =>
      setTimeout(() => {
        log(`timer of ${ms} ms`)
        work()
      }, ms)
    timer(500)
    timer(370)
    timer(250, () => {
      process.nextTick(() => log('its tick'))
      void Promise.resolve().then(() => log('its microtask'))
      setImmediate(() => log('its immediate'))
      timer(1)
    })
    // Of delays that there are, and due after timers of others.
    setTimeout(() => timer(250), 130)
    timer(300)
    setTimeout(() => timer(300), 130)
    setTimeout(() => {
      socket.destroy()
      over()
    }, 1500)
  })
}

/** Two clients. The one that hears something first stops the process, when the other has something to read. */
function polled(at, log, over, { stop, blockMs }) {
  let stopped = false
  const connect = () =>
    net.connect(at).on('data', (data) => {
      log(`data ${data}`)
      if (!stopped) stop()
      stopped = true
    })
  const first = connect()
  first.once('connect', () => {
    const second = connect()
    second.once('connect', () => {
      setTimeout(() => {
        setTimeout(() => log('timer'), 400)
        blockMs(200)
      }, 20)
      setTimeout(() => {
        first.destroy()
        second.destroy()
        over()
      }, 1500)
    })
  })
}

exports.programs = {
  timed,
  polled,
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
  'writes by a timer': watched((socket, done, log) =>
    setTimeout(() => {
      log('timer')
      socket.write('late', done)
    }, 500),
  ),
}
