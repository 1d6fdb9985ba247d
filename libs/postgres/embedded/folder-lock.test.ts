// One start at a time for each folder; stale locks are taken over.
import { afterEach, beforeEach, expect, test } from '@jest/globals'
import { execFileSync } from 'node:child_process'
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { lockFolder } from './folder-lock.ts'
import { processMark } from './process-identity.ts'

let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'storefront-lock-'))
})
afterEach(() => rmSync(folder, { recursive: true }))

function expectFree(): void {
  const lock = lockFolder(folder)
  expect(readFileSync(join(folder, 'lock'), 'utf8')).toContain(String(process.pid))
  lock.release()
  expect(readdirSync(folder)).toEqual([])
}

test('a second lock on a folder in use is refused with one line that names the process', () => {
  const lock = lockFolder(folder)
  expect(() => lockFolder(folder)).toThrow(
    `The data folder ${folder} is in use by process ${process.pid}. Stop that process or set DATA_DIR to another folder.`,
  )
  lock.release()
  lockFolder(folder).release()
  expect(readdirSync(folder)).toEqual([])
})

test('the lock of a process that is gone is taken over', () => {
  const pid = Number(execFileSync('/bin/sh', ['-c', 'echo $$'], { encoding: 'utf8' }))
  writeFileSync(join(folder, 'lock'), JSON.stringify({ pid, mark: 'long ago' }))
  expectFree()
})

test('the lock of a process whose number another program now has is taken over', () => {
  writeFileSync(join(folder, 'lock'), JSON.stringify({ pid: process.ppid, mark: 'an earlier process' }))
  expectFree()
})

test('the lock of a live process is not taken over', () => {
  writeFileSync(join(folder, 'lock'), JSON.stringify({ pid: process.ppid, mark: processMark(process.ppid) }))
  expect(() => lockFolder(folder)).toThrow(/is in use by process/)
})

test('a lock file with other content is taken over', () => {
  writeFileSync(join(folder, 'lock'), 'garbage')
  expectFree()
})

test('a lock that was taken over is not removed by its former holder', () => {
  const former = lockFolder(folder)
  rmSync(join(folder, 'lock'))
  writeFileSync(join(folder, 'lock'), 'of another')
  former.release()
  expect(readdirSync(folder)).toEqual(['lock'])
})

test('releasing twice does not free the next lock of the same process', () => {
  const first = lockFolder(folder)
  first.release()
  const second = lockFolder(folder)
  first.release()
  expect(() => lockFolder(folder)).toThrow(/is in use by process/)
  second.release()
})

test('a folder that cannot be created is an error of one line', () => {
  writeFileSync(join(folder, 'file'), '')
  expect(() => lockFolder(join(folder, 'file', 'data'))).toThrow(
    /^The data folder .+ cannot be used: a part of the path is not a folder\. Set DATA_DIR/,
  )
})
