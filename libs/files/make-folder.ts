// Creates a folder with its parents.
import { existsSync, mkdirSync, statSync } from 'node:fs'
import { dirname } from 'node:path'

/**
 * Creates the folder and those above it that are missing; throws the error of the system. `mkdirSync` with `recursive` never returns where the
 * system answers ENOENT although the parent is there, as it does below /proc and some automounted folders.
 */
export function makeFolder(folder: string): void {
  if (!existsSync(dirname(folder))) makeFolder(dirname(folder))
  try {
    mkdirSync(folder)
  } catch (error) {
    if (!isFolder(folder)) throw error // Another process may have made it meanwhile.
  }
}

function isFolder(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() === true
}
