// The failures of a command and their exit status: 1 the request was refused or failed, 2 invalid usage,
// 3 the back office cannot be reached. docs/spec/command-line.md
import { CommanderError } from 'commander'

const statuses = { Refused: 1, UsageError: 2, Unreachable: 3 }
type Kind = keyof typeof statuses

function failure(name: Kind, message: string): Error {
  return Object.assign(new Error(message), { name })
}

/** `code` is that of the back office, where it refused. */
export function refused(message: string, code?: string): Error {
  return Object.assign(failure('Refused', message), { code })
}

/** Whether the back office refused with this code. */
export function hasCode(error: unknown, code: string): boolean {
  return error instanceof Error && error.name === 'Refused' && (error as { code?: string }).code === code
}

export function usageError(message: string): Error {
  return failure('UsageError', message)
}

export function unreachable(message: string): Error {
  return failure('Unreachable', message)
}

/** The exit status of a command that threw the error. */
export function statusOf(error: unknown): number {
  if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : 2
  return error instanceof Error && Object.hasOwn(statuses, error.name) ? statuses[error.name as Kind] : 1
}
