// `npm run screenshots -- FOLDER`: pictures of every screen of the console, with the demo shop, at 360 and 1280 px, light and dark.
// `npm run screenshots -- --docs` writes the pictures of README.md and the guides into docs/pictures. Either runs in a data folder of its
// own.
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import type { Page } from 'playwright-core'
import { openBrowser } from '../servers/browser.ts'
import { startDemoProduct } from './demo-product.ts'
import { allPages, pagesOfDocuments, type ShownPage } from './pages.ts'
import { reduceColours } from './palette.ts'

const sizes = [
  { width: 360, height: 740 },
  { width: 1280, height: 800 },
]
const schemes = ['light', 'dark'] as const
const documentsFolder = join(import.meta.dirname, '../../docs/pictures')

const { values, positionals } = parseArgs({ options: { docs: { type: 'boolean' } }, allowPositionals: true })
const [folder] = positionals
if (folder === undefined && values.docs !== true) {
  process.stderr.write('usage: npm run screenshots -- FOLDER, or npm run screenshots -- --docs\n')
  process.exit(2)
}

const browser = await openBrowser()
const product = await startDemoProduct()
try {
  const context = await browser.newContext({ viewport: { width: 1280, height: 800 } })
  const page = await context.newPage()
  const { origin } = new URL(product.signInUrl)
  if (folder !== undefined) await shootAll(page, origin, [{ name: 'sign-in', path: '/sign-in' }], folder)
  await page.goto(product.signInUrl)
  await page.getByRole('banner').waitFor()
  if (folder !== undefined) await shootAll(page, origin, await allPages(product), folder)
  if (values.docs === true) {
    for (const shown of await pagesOfDocuments(product)) {
      await page.setViewportSize({ width: 1280, height: shown.height ?? 800 })
      await open(page, origin, shown)
      writeFileSync(join(documentsFolder, `${shown.name}.png`), reduceColours(await page.screenshot()))
    }
  }
} finally {
  await browser.close()
  await product.stop()
}

async function shootAll(page: Page, origin: string, pages: ShownPage[], into: string): Promise<void> {
  mkdirSync(into, { recursive: true })
  for (const size of sizes) {
    await page.setViewportSize(size)
    for (const colorScheme of schemes) {
      await page.emulateMedia({ colorScheme })
      for (const shown of pages) {
        await open(page, origin, shown)
        const path = join(into, `${shown.name}-${size.width}-${colorScheme}.png`)
        await page.screenshot({ path })
        process.stdout.write(`${path}\n`)
      }
    }
  }
  await page.setViewportSize({ width: 1280, height: 800 })
  await page.emulateMedia({ colorScheme: 'light' })
}

async function open(page: Page, origin: string, { path }: ShownPage): Promise<void> {
  await page.goto(origin + path)
  await page.getByRole('heading', { level: 1 }).waitFor()
  await page.waitForLoadState('networkidle')
  await page.locator('.waiting').first().waitFor({ state: 'detached' })
}
