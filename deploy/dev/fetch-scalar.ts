// node deploy/dev/fetch-scalar.ts: writes Scalar's standalone bundle, compressed, to services/rest-gateway/docs/assets. For another
// version change the two constants, run it, and run the tests of that folder, which name the other changes.
// docs/decisions/0024-reference-bundle.md
import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'

const VERSION = '1.72.1'
// As `npm view @scalar/api-reference@<version> dist.integrity` prints it.
const INTEGRITY = 'sha512-XpEJ0rfc/cXbCrR+iC4kK0o/WwX2dTtGQbT049OlPKAHD6IMIFdTeGz2r+M27P2EDWKyUITRm/NzlP8z2pw/Ow=='

const folder = mkdtempSync(join(tmpdir(), 'scalar-'))
try {
  const options = { cwd: folder, encoding: 'utf8' } as const
  const archive = join(
    folder,
    execFileSync('npm', ['pack', '--silent', `@scalar/api-reference@${VERSION}`], options).trim(),
  )
  const found = `sha512-${createHash('sha512').update(readFileSync(archive)).digest('base64')}`
  if (found !== INTEGRITY) throw new Error(`The archive is not the expected one: its digest is ${found}.`)
  execFileSync('tar', ['-xzf', archive, 'package/dist/browser/standalone.js'], options)
  const bundle = readFileSync(join(folder, 'package/dist/browser/standalone.js'))
  const target = join(import.meta.dirname, '../../services/rest-gateway/docs/assets/scalar.js.gz')
  writeFileSync(target, gzipSync(bundle, { level: 9 }))
  const digest = createHash('sha256').update(bundle).digest('hex')
  process.stdout.write(`${target}\nFor assets/NOTICE.md: version ${VERSION}, sha256 ${digest}\n`)
} finally {
  rmSync(folder, { recursive: true })
}
