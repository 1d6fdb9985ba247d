// Owns every number that bounds something, each beside its reason.
// Spec: Limits. Where a number is ours, the comment says what breaks without it.

export const limits = {
  requestsPerMinute: 240, // Spec: Limits. Per key, REST and MCP together; deliveries do not count.
  windowS: 60, // Spec: Limits. "The window is one minute."
  bodyBytesMax: 65_536, // Spec: Limits, "64 KB": 65,536 bytes pass, 65,537 do not.
  jsonDepthMax: 32, // Deeper JSON is an attack on the parser, no object here needs ten.
  pageDefault: 25, // Spec: Paging rules.
  pageMax: 100, // Spec: Paging rules; a larger limit is clamped.
  tagsPerCreate: 20, // Spec: POST /contacts; tags of the request beyond these are named in `droppedTags`.
  tagsPerContact: 250, // A contact is read whole on every page; without a bound one tag loop would bloat every list.
  tagLengthMax: 64, // Longer labels are text, not labels, and would not fit an index entry well.
  liveKeysPerShop: 5, // Spec: Authentication, rule 5.
  orderLinesMax: 1_000, // An order is one document; the largest real one we have seen holds 675 lines.
  variantsMax: 100, // A product's detail is one document.
  optionsPerVariant: 20, // Size, colour, material: a variant that needs more is a product of its own.
  tagsPerProduct: 250, // As tagsPerContact; every row of the product list carries them.
  stockMax: 1_000_000_000, // Fits an integer column, and the sum over all variants stays a safe integer.
  appointmentMinutesMax: 527_040, // A leap year; longer is a typing mistake.
  leadHoursMax: 87_840, // Ten years ahead, likewise.
  trialDaysMax: 3_660, // Ten years, likewise.
  quantityMax: 1_000_000, // Keeps quantity times price inside what an integer column and JSON can carry.
  centsMax: 9_007_199_254_740_991, // The largest integer that survives JSON in every client.
  titleLengthMax: 255,
  textLengthMax: 5_000, // Notes and descriptions typed by people.
  descriptionLengthMax: 65_536, // Product pages; an imported one can be long.
  wordLengthMax: 255, // SKU, coupon, city: one line of text.
  linkLengthMax: 2_048, // Longer links break in mail programs and old proxies.
  emailLengthMax: 254, // RFC 5321.
  idempotencyKeyLengthMax: 255, // As at Stripe.
  idempotencyHours: 24, // Back office: the first answer is repeated for a day.
  busBytesMax: 512 * 1024, // An answer above this travels in parts: the bus refuses messages over 1 MB.
  parkedBytesMax: 128 * 1024 * 1024, // Parts that wait for their caller, per process; beyond it answers are refused.
  parkedMs: 10_000, // A caller that has not fetched its parts by then is gone.
  importBytesMax: 50 * 1024 * 1024, // import-formats, "Size".
  importRecordsMax: 200_000, // import-formats, "Size".
  importCellBytesMax: 1024 * 1024, // import-formats, "Size".
  importErrorsShown: 100, // Back office: `errors[]`, at most 100.
  importHeldBytes: 8 * 1024 * 1024, // Records of objects whose last record has not come; beyond it they are read again.
  importsAtOnce: 4, // Per process: each holds a file on disk and works as fast as the services answer.
  importBatchBytes: 256 * 1024, // One bus call of an import; well below what the bus carries.
  importBatchObjects: 100, // One bus call and one round of transactions in the owning service.
  refundsForeseenAtOnce: 20, // One bus call of a dry run, each refund with its candidates.
  refundCandidatesMax: 200, // Orders that could give back one refund; some 100 bytes each, so that the call stays small.
  identityMs: 1_500, // How long a gateway believes what it was told about a key: revocation is in force within 2 s.
  recognisedAtOnce: 500, // Keys that a gateway asks about in one question; about 150 KB of answer.
  leaseUnitsMax: 16, // Calls a gateway may admit on its own before it asks again,
  leaseAloneUnitsMax: 48, // and where no other gateway has any of that key in this window.
  pagesKeptBytes: 10 * 1024 * 1024, // Pages that a gateway keeps: some 250 of 25 orders.
  pageKeptMs: 60_000, // A page that nobody asked for so long is not kept; restoring a database takes longer.
  versionsAtOnce: 500, // Shops in one question for the versions of their lists; some 20 KB.
  toolCallMs: 60_000, // Spec: Limits, "MCP tool call duration".
  commandMs: 10_000, // No command works longer; what it holds is freed then.
  reservationS: 120, // Stock taken for an order that was never written goes back after this.
  optInHours: 72, // states-and-events 11.1: how long a link confirms.
  optInGapMinutes: 10, // states-and-events 11.2: one opt-in mail to a mailbox and shop in that time,
  optInsPerDayShop: 3, // this many in 24 hours,
  optInsPerDayAll: 10, // this many in 24 hours over all shops, since a mailbox belongs to one person,
  optInsPerHourShop: 500, // and this many of one shop in an hour, whoever they go to.
  optInKeptDays: 90, // An old mail's "this was not me" works that long; mail providers ask for 30 days.
  mailMs: 8_000, // One mail from first packet to last answer; with the rest it stays inside `commandMs`.
  mailBreakerOpenMs: 15_000, // How long a mail server that is away is left alone.
  mailConnections: 5, // Mail servers refuse more than a handful from one address.
  formsPerMinute: 60, // Forms of the opt-in pages from one source, per gateway: many people may share an address.
  mailsAtOnce: 50, // What five connections can send in `mailMs` at a second each, with some air.
  webhookEndpointsPerShop: 5, // states-and-events 5.4; disabled ones count.
  webhookOverlapSMax: 604_800, // states-and-events 3.3: an old secret signs on for at most seven days.
  webhookTestsPerMinute: 10, // states-and-events 6.3, per endpoint.
  webhookReplayDaysMax: 30, // states-and-events 6.2; older events are gone.
} as const
