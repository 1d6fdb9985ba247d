#!/usr/bin/env node
// `npm run storefront -- <command>`: the command line over the back-office API. docs/spec/command-line.md
import { runCommandLine } from './program.ts'

// A reader such as `| head` closes the pipe: not a failure.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code !== 'EPIPE') throw error
  process.exit()
})
process.exitCode = await runCommandLine(process.argv.slice(2))
