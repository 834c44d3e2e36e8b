/**
 * Clients that close their sockets in a timer before they read from them, with the same code for
 * real and virtual sockets. Each client stops itself until the timer is due. Arguments of the
 * program: the port and the client.
 */
const net = require('node:net')

/** At this point, the client has called connect(2) and has not polled. */
const beforeItIsOpen = (_socket, then) => process.nextTick(() => process.nextTick(then))
/** After this, the event loop runs timers next. */
const onceItIsOpen = (socket, then) => socket.on('connect', () => setImmediate(then))

const closing = (close, stops) => (at, log, stop) => {
  const socket = net.connect(at)
  for (const event of ['connect', 'end']) socket.on(event, () => log(event))
  socket.on('data', (data) => log(`data ${data}`))
  socket.on('error', ({ code, syscall }) => log(`error ${code} ${syscall}`))
  socket.on('close', (hadError) => log(`close ${hadError}`))
  stops(socket, () => {
    setTimeout(() => {
      log('timer')
      close(socket)
    }, 50)
    stop()
  })
}

function writeAndDestroy(socket) {
  socket.write('unsent')
  socket.destroy()
}

const clients = {
  'destroys what it has not seen open': closing((socket) => socket.destroy(), beforeItIsOpen),
  'writes to what it has not seen open, and destroys it': closing(writeAndDestroy, beforeItIsOpen),
  'resets what it has not seen open': closing((socket) => socket.resetAndDestroy(), beforeItIsOpen),
  'destroys what it has seen open': closing((socket) => socket.destroy(), onceItIsOpen),
}

exports.clients = clients

if (require.main === module) {
  const [, , port, name] = process.argv
  const log = (line) => process.stdout.write(`${line}\n`)
  clients[name]({ host: '127.0.0.1', port: Number(port) }, log, () => process.kill(process.pid, 'SIGSTOP'))
}
