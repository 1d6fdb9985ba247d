// Owns the secrets that a start without configuration makes for itself (SECRET_KEY and ADMIN_TOKEN, run.md, Environment:
// "made on first start in embedded mode"). They stay in the data folder, readable by their owner only.
import { randomBytes } from 'node:crypto'
import { chmodSync, linkSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

/** The secret of that name (43 characters, 32 random bytes as base64url), made on first use in `dataDir/secrets`. */
export function keepSecret(dataDir: string, name: string): string {
  const folder = join(dataDir, 'secrets')
  mkdirSync(folder, { recursive: true })
  chmodSync(folder, 0o700)
  return findSecret(dataDir, name) ?? make(join(folder, name))
}

/** The secret of that name, or null where none was made yet. */
export function findSecret(dataDir: string, name: string): string | null {
  return read(join(dataDir, 'secrets', name))
}

function read(file: string): string | null {
  try {
    const secret = readFileSync(file, 'utf8').trim()
    if (secret.length < 32) throw new Error(`The kept secret in ${file} is damaged. Put it back, or remove the file.`)
    return secret
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null
    throw error
  }
}

// Written aside and linked into place: nobody reads half a secret, and of two first uses at once both get the first one's.
function make(file: string): string {
  const aside = `${file}.${randomBytes(6).toString('hex')}`
  const secret = randomBytes(32).toString('base64url')
  writeFileSync(aside, `${secret}\n`, { mode: 0o600, flag: 'wx', flush: true })
  try {
    linkSync(aside, file)
    return secret
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
    return readFileSync(file, 'utf8').trim()
  } finally {
    rmSync(aside, { force: true })
  }
}
