// Listens on the port of a setting, and names the setting where the port cannot be used. docs/spec/running.md#environment
import type { Server } from 'node:http'
import type { AddressInfo } from 'node:net'

export type PortSetting = 'PORT' | 'ADMIN_PORT' | 'OPS_PORT'

const reasons: Record<string, string> = {
  EADDRINUSE: 'another program uses that port',
  EACCES: 'this user may not use that port',
}

/** Listens on all interfaces and gives the port; throws one line that names the setting when the port cannot be used. */
export async function listen(server: Server, port: number, setting: PortSetting): Promise<number> {
  await new Promise<void>((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) => {
      const reason = reasons[error.code ?? '']
      reject(reason === undefined ? error : new Error(`${setting} is ${port}, but ${reason}.`))
    })
    server.listen(port, () => resolve())
  })
  return (server.address() as AddressInfo).port
}
