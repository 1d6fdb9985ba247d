// Owns what makes a whole import file unreadable, told before anything is written.
// import-formats.md, section 1, rows "Encoding", "Header", "Size".

/**
 * `encoding`, `quoting`, `missing_column`, `unknown_format`, `empty_file`, `file_too_large`, `too_many_records`,
 * `cell_too_large`, `currency_mismatch`; the message is safe for the caller.
 */
export type FileProblem = Error & { name: 'FileProblem'; code: string }

export function fileProblem(code: string, message: string): FileProblem {
  return Object.assign(new Error(message), { name: 'FileProblem' as const, code })
}

export function isFileProblem(error: unknown): error is FileProblem {
  return error instanceof Error && error.name === 'FileProblem'
}
