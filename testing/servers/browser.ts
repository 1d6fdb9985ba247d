// A real browser for tests of pages; one line on stderr says so when there is none.
import { type Browser, chromium } from 'playwright-core'
import { findProgram } from '#local-servers/find-program'

// The headless shell is the same engine without the window, which takes half the time.
const path = process.env.PATH ?? ''
const program = findProgram('chromium-headless-shell', path) ?? findProgram('chromium', path)

/** The browsers that can be tried here: one, or none; with CI=true a missing one is a failure of each test. */
export const browsers: 'chromium'[] = testable()

/** Starts it. The sandbox needs rights that a test run as root or in a container does not have. */
export async function openBrowser(): Promise<Browser> {
  if (program === null) throw new Error('There is no browser: install chromium.')
  return chromium.launch({ executablePath: program, args: ['--no-sandbox', '--disable-gpu'] })
}

function testable(): 'chromium'[] {
  if (program !== null || process.env.CI === 'true') return ['chromium']
  process.stderr.write('\n*** CHROMIUM IS MISSING: no page was opened in a browser. Install chromium. ***\n\n')
  return []
}
