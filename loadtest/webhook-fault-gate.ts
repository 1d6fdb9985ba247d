// Owns the way of the webhooks service to the bus: a gate that can be shut, behind which nothing comes through and nothing
// is told, as in a partition of a network. Whoever is inside finds out by himself.
import { connect, createServer, type AddressInfo, type Socket } from 'node:net'

export type Gate = {
  url: string
  /** From now on nothing comes through, in both ways; connections stay and new ones are taken and led nowhere. */
  shut(): void
  /** Ends what stood at the shut gate and lets the next ones through. */
  open(): void
  stop(): Promise<void>
}

export async function openGate(target: string): Promise<Gate> {
  const { hostname, port } = new URL(target)
  const sockets = new Set<Socket>()
  let isShut = false
  const server = createServer((near) => {
    keep(near)
    if (isShut) return void near.pause()
    const far = connect(Number(port), hostname)
    keep(far)
    near.pipe(far)
    far.pipe(near)
    near.once('close', () => far.destroy())
    far.once('close', () => near.destroy())
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))

  function keep(socket: Socket): void {
    sockets.add(socket)
    socket.once('close', () => sockets.delete(socket))
    socket.on('error', () => undefined) // Its other side is closed with it.
  }

  function endAll(): void {
    for (const socket of sockets) socket.destroy()
  }

  return {
    url: `nats://127.0.0.1:${(server.address() as AddressInfo).port}`,
    shut() {
      isShut = true
      for (const socket of sockets) socket.unpipe().pause()
    },
    open() {
      isShut = false
      endAll()
    },
    stop: () =>
      new Promise((resolve) => {
        endAll()
        server.close(() => resolve())
      }),
  }
}
