// Owns measuring an import of the largest file there may be: the memory of the importing process and the rows a second.
// import-formats.md, section 1, row "Size": "memory does not grow with the file". Ends with 1 above 200 MB.
// node loadtest/import-memory.ts [--format spree-products] [--mb 50] [--dry-run]
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { makeShop, sendFile } from './import-calls.ts'
import { currencyOf, writeLargeFile } from './import-files.ts'
import { openHouse } from './import-house.ts'

const MEMORY_MB = 200

const { values } = parseArgs({
  options: {
    format: { type: 'string', default: 'spree-products' },
    mb: { type: 'string', default: '50' },
    'dry-run': { type: 'boolean', default: false },
  },
})
const { format } = values
const folder = mkdtempSync(join(tmpdir(), 'storefront-memory-'))
process.once('exit', () => rmSync(folder, { recursive: true, force: true, maxRetries: 50 }))

const path = join(folder, 'large.csv')
const file = await writeLargeFile(path, format, Number(values.mb) * 1_048_576)
const house = await openHouse(folder)
try {
  const shop = await makeShop(house, 'large', currencyOf(format))
  const atRest = house.peakMb('admin-gateway')
  const began = performance.now()
  const done = await sendFile(house, shop, path, `?format=${format}${values['dry-run'] ? '&dry_run=true' : ''}`)
  const seconds = (performance.now() - began) / 1_000
  const peak = house.peakMb('admin-gateway')
  const { status, created, updated, unchanged, skipped, failed } = done
  process.stdout.write(
    [
      `file       ${format}, ${(file.bytes / 1_048_576).toFixed(1)} MB, ${file.records} records`,
      `outcome    ${status}: created ${created}, updated ${updated}, unchanged ${unchanged}, skipped ${skipped}, failed ${failed}`,
      `time       ${seconds.toFixed(1)} s, ${Math.round(file.records / seconds)} rows/s`,
      `memory     ${atRest.toFixed(0)} MB before, ${peak.toFixed(0)} MB at most; allowed ${MEMORY_MB} MB`,
      '',
    ].join('\n'),
  )
  const isWell = status === 'completed' && done.processed === file.records && failed === 0 && peak <= MEMORY_MB
  process.exitCode = isWell ? 0 : 1
  if (!isWell) process.stdout.write(`${JSON.stringify(done.errors.slice(0, 5))}\n`)
} finally {
  await house.stop()
}
