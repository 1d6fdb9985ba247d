// The system user that the embedded PostgreSQL runs as. PostgreSQL refuses to run as root, so a start as root runs it as an
// unprivileged user; any other start keeps its own user.
import { execFileSync, spawnSync } from 'node:child_process'
import { statSync } from 'node:fs'

/** The user to run as; undefined fields mean the user of this process, as in child_process. */
export type ServerUser = { uid?: number; gid?: number }

// `postgres` exists where PostgreSQL or its client was ever installed; the other one is created where it does not.
const preferredName = 'postgres'
const ownName = 'storefront-db'

/** The user for a server on this folder, which need not exist yet. */
export function chooseUser(clusterFolder: string): ServerUser {
  if (process.getuid?.() !== 0) return {}
  return ownerOf(clusterFolder) ?? idsOf(preferredName) ?? idsOf(ownName) ?? makeUser()
}

/** Whether that user can enter the folder; a folder below somebody's closed home (0700) cannot be entered. */
export function canEnter(user: ServerUser, folder: string): boolean {
  if (user.uid === undefined) return true
  return spawnSync('/bin/sh', ['-c', 'cd -- "$1"', 'sh', folder], { ...user, cwd: '/', stdio: 'ignore' }).status === 0
}

// A cluster that an ordinary user created keeps its owner when root starts it later, so that both can use it.
function ownerOf(folder: string): ServerUser | null {
  const found = statSync(folder, { throwIfNoEntry: false })
  return found === undefined || found.uid === 0 ? null : { uid: found.uid, gid: found.gid }
}

function idsOf(name: string): ServerUser | null {
  const idOf = (flag: string) => spawnSync('id', [flag, name], { encoding: 'utf8' })
  const uid = idOf('-u')
  const gid = idOf('-g')
  if (uid.status !== 0 || gid.status !== 0) return null
  return { uid: Number(uid.stdout), gid: Number(gid.stdout) }
}

function makeUser(): ServerUser {
  try {
    execFileSync('useradd', ['--system', '--user-group', '--no-create-home', '--shell', '/usr/sbin/nologin', ownName], {
      stdio: 'ignore',
    })
  } catch {
    // Where users cannot be created (a read-only system, no useradd), `nobody` is unprivileged too.
  }
  const user = idsOf(ownName) ?? idsOf('nobody')
  if (user === null) {
    throw new Error('PostgreSQL refuses to run as root and no other user was found. Start as an ordinary user.')
  }
  return user
}
