// The texts of imports and exports in English.
import { count } from './en-count.ts'

const number = (value: number) => value.toLocaleString('en')
const rows = (value: number) => count(value, 'row', 'rows')

function size(bytes: number): string {
  if (bytes < 1_000) return count(bytes, 'byte', 'bytes')
  if (bytes < 1_000_000) return `${(bytes / 1_000).toFixed(0)} KB`
  return bytes < 1e9 ? `${(bytes / 1_000_000).toFixed(1)} MB` : `${(bytes / 1e9).toFixed(1)} GB`
}

export const importWords = {
  imports: {
    one: 'Import',
    title: 'Imports',
    redacted: 'Your role does not see it.',
    empty: 'No import yet. The first file that is checked or imported appears here.',
    drop: 'Import a file',
    dropHow: 'Drop a file on this page, or choose it: CSV, or the JSON lines of an export.',
    choose: 'Choose a file',
    first: 'It is checked first, and nothing is written until you say so.',
    mayNot: 'Your role may only read. Imports are for the roles owner and manager.',
    oneFile: 'One file at a time: drop or choose a single file.',
    tooLarge: (bytes: number, most: number) =>
      `The file has ${size(bytes)}; an import takes at most ${size(most)}. Split it and import the parts.`,
    unreadable:
      'The file cannot be read. It may have been changed, moved or deleted since it was chosen: choose it again.',
    formats: {
      'shopify-products': 'Shopify products',
      'shopify-orders': 'Shopify orders',
      'shopify-customers': 'Shopify customers',
      'woocommerce-products': 'WooCommerce products',
      'spree-products': 'Spree products',
      'spree-customers': 'Spree customers',
      retail: 'Retail transactions',
      'storefront-orders': 'Orders of an export',
      'storefront-products': 'Products of an export',
      'storefront-contacts': 'Contacts of an export',
      'storefront-subscriptions': 'Memberships of an export',
    },
    unknownFormat: 'Unknown format',
    dryRun: 'dry run',
    columns: { format: 'Format', status: 'Status', outcome: 'Outcome', rows: 'Rows', begun: 'Begun' },
    sending: 'Sending',
    phases: {
      queued: 'Waiting for its turn',
      checking: 'Reading the file',
      writing: 'Importing',
      checkingDry: 'Checking',
      cancelling: 'Cancelling',
    },
    pace: (perSecond: number) => `${rows(Math.round(perSecond))} a second`,
    left: (seconds: number) =>
      seconds < 120
        ? `${count(seconds, 'second', 'seconds')} left`
        : seconds < 7_200
          ? `${count(Math.round(seconds / 60), 'minute', 'minutes')} left`
          : `${count(Math.round(seconds / 3_600), 'hour', 'hours')} left`,
    sent: (bytes: number, all: number) => `${size(bytes)} of ${size(all)}`,
    objectsOf: (value: number, all: number) => `${number(value)} of ${number(all)} done`,
    stay: 'Keep this page open until the file is sent.',
    mayLeave: 'You may leave this page: the import goes on.',
    cancelImport: 'Cancel the import',
    nothing: 'Nothing was imported.',
    ends: {
      failed: 'It failed.',
      failedDry: 'The check failed.',
      cancelled: 'Cancelled.',
      cancelledDry: 'The check was cancelled.',
      interrupted: 'It stopped without an end.',
    },
    rest: 'What was imported before stays; the same file again imports the rest.',
    notBegun: 'Cancelled. Nothing was imported.',
    run: (value: number) => `Import ${rows(value)}`,
    runAnyway: (value: number) =>
      `${count(value, 'object', 'objects')} with a fault will be left out; the rest is imported.`,
    nothingToDo: 'There is nothing to import: the shop has all of it already, or no row can be imported.',
    next: 'Import this file',
    wasDry: 'This was a dry run: nothing was written.',
    chooseAgain: 'This was a dry run: nothing was written. Choose the file again to import it.',
    showAll: {
      products: 'Show the products',
      orders: 'Show the orders',
      contacts: 'Show the contacts',
      memberships: 'Show the memberships',
    },
    correct: 'Correct the rows below and import the file again: what is there already stays as it is.',
    readAs: 'Read as',
    recognised: (format: string) => `recognised: ${format}`,
    notRecognised: 'choose a format',
    byHeader: 'what the header says',
    createContacts: 'Make contacts of the buyers',
    paymentMethod: 'Payment method where the file names none',
    would: {
      created: 'to create',
      updated: 'to update',
      unchanged: 'unchanged',
      skipped: 'to skip',
      failed: 'with a fault',
    },
    did: { created: 'created', updated: 'updated', unchanged: 'unchanged', skipped: 'skipped', failed: 'with a fault' },
    counts: 'Counts',
    outcome: (value: number, word: string) => `${number(value)} ${word}`,
    rowsRead: (value: number) => `${rows(value)} read`,
    rowsLeft: (blank: number, ignored: number) =>
      [
        ...(blank > 0 ? [`${count(blank, 'empty row', 'empty rows')}`] : []),
        ...(ignored > 0 ? [`${count(ignored, 'row', 'rows')} without a part of an object`] : []),
      ].join(', '),
    ignored: (value: number) => `${count(value, 'column is', 'columns are')} not read`,
    problems: 'Problems',
    noProblems: 'No problem was found.',
    problemColumns: { line: 'Line', key: 'Object', column: 'Column', problem: 'Problem' },
    wholeFile: '–',
    severities: { error: 'left out', warning: 'warning', file: 'whole file' },
    inRows: (value: number) => rows(value),
    showRows: (value: number) => `Show ${rows(value)} more`,
    firstOnly: (shown: number, all: number) =>
      `The first ${number(shown)} of ${number(all)} are shown; the file has all of them.`,
    download: 'Download all problems',
  },
  exports: {
    title: 'Export',
    about:
      'All of a list, newest first, with everything that an import needs to make equal objects, here or in another shop. CSV is a table; NDJSON has an object on each line.',
    as: (form: string, list: string) => `${list} as ${form}`,
    running: (value: number) => `${number(value)} so far`,
    saved: (value: number) => `${number(value)} saved`,
    cancelled: 'cancelled',
    noPersons: 'Names, emails, phones, addresses and notes are left out for your role.',
    noContacts: 'not for your role: contacts are personal data',
  },
  archive: {
    title: 'Archive',
    about:
      'Everything of this shop in one file, which comes back the same in another installation, or beside this shop with other ids. The command line writes it.',
    steps: (handle: string) => [
      { about: 'Write it', command: `storefront archive --shop ${handle} --out ${handle}.tar.zst` },
      { about: 'Check it, without a server', command: `storefront archive verify ${handle}.tar.zst` },
      { about: 'Restore it', command: `storefront restore ${handle}.tar.zst --shop ${handle}` },
    ],
    leftOut:
      'API keys are not in it, because only their digests exist. The option --secrets adds the secrets of webhook endpoints, encrypted.',
  },
} as const
