// `storefront archive`, `archive verify` and `restore`. docs/spec/archives.md
import { Option } from 'commander'
import { SECRETS } from '#contracts/archive/parts'
import { type Command, shopOption, shopPath, textOption } from '../command.ts'
import { usageError } from '../failure.ts'
import type { Json } from '../office/back-office.ts'
import type { Manifest } from './manifest.ts'
import { previewRestore, restoreArchive } from './restore.ts'
import { openSecrets, passphraseFor } from './secrets.ts'
import { type Verified, verifyArchive } from './verify.ts'
import { writeArchive } from './write-archive.ts'

export const archiveCommands: Command[] = [
  {
    words: 'archive create',
    about: 'writes everything of a shop to one file; API keys are not in it',
    options: [
      shopOption(),
      new Option('--out <file>', 'the file to write, such as demo.tar.zst').makeOptionMandatory(),
      new Option('--secrets', 'with the secrets of webhook endpoints, encrypted under ARCHIVE_PASSPHRASE'),
    ],
    examples: ['--shop demo --out demo.tar.zst', '--shop demo --out demo.tar.zst --secrets'],
    async run(given) {
      const out = textOption(given, 'out') ?? ''
      const passphrase = given.options.secrets === true ? passphraseFor('--secrets') : null
      const manifest = await writeArchive(given.office(), { shopPath: shopPath(given), out, passphrase })
      given.output.one(summaryOf(manifest))
      given.output.note(`The archive is complete: ${out}. Check a copy of it with: archive verify ${out}`)
    },
  },
  {
    words: 'archive verify',
    about: 'checks an archive without any server: version, digests, counts and order of rows',
    args: ['<file>'],
    examples: ['demo.tar.zst'],
    async run({ args, output }) {
      const verified = await verifyArchive(args[0] ?? '')
      output.one({ ...summaryOf(verified.manifest), digest: verified.digest })
      noteDangling(verified, output.note)
      output.note('The archive is whole.')
    },
  },
  {
    words: 'restore',
    about: 'makes the shop of an archive; a restore that was stopped goes on with the same command',
    args: ['<file>'],
    options: [
      new Option('--shop <handle>', 'handle of the shop that is made').makeOptionMandatory(),
      new Option('--new-ids', 'with other ids; by default where the shop of the archive is in the installation'),
      new Option('--events', 'send the restored events to the webhook endpoints'),
      new Option('--dry-run', 'only check; nothing is written'),
    ],
    examples: ['demo.tar.zst --shop demo', 'demo.tar.zst --shop copy --dry-run'],
    async run(given) {
      const file = given.args[0] ?? ''
      const { output, options } = given
      const handle = textOption(given, 'shop') ?? ''
      if (handle === '') throw usageError('restore needs a handle in --shop.')
      const wish = {
        file,
        handle,
        ...(options.newIds === true ? { newIds: true } : {}),
        events: options.events === true,
      }
      const verified = await verifyArchive(file)
      noteDangling(verified, output.note)
      if (options.dryRun === true) {
        await openSecrets(verified)
        output.one(await previewRestore(given.office(), verified, wish))
        output.note('This was a dry run: nothing was written.')
        return
      }
      output.one(await restoreArchive(given.office(), verified, wish, output.note))
      output.note(`The shop ${handle} is there. It has no API keys yet: keys create --shop ${handle}`)
      if (!(SECRETS in verified.manifest.parts)) {
        output.note('Its webhook endpoints have new secrets: webhooks rotate-secret shows one.')
      }
    },
  },
]

function summaryOf({ createdAt, shop, parts }: Manifest): Json {
  const rows = Object.entries(parts).map(([part, one]) => [part, one.rows])
  return { object: 'archive', handle: shop.handle, shopId: shop.id, createdAt, ...Object.fromEntries(rows) }
}

function noteDangling({ dangling }: Verified, note: (text: string) => void): void {
  for (const [objects, count] of Object.entries(dangling)) {
    if (count > 0)
      note(`${count} ${objects} that orders or memberships name are not in the archive: the shop had none.`)
  }
}
