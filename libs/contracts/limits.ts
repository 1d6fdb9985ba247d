// The bounds that the specification names or several files share, each with its rule or its reason; others stand at the top of their
// file: docs/spec/internals.md#bounds.

export const limits = {
  requestsPerMinute: 240, // docs/spec/rest-api.md#rate-limit
  windowS: 60, // docs/spec/rest-api.md#rate-limit
  bodyMs: 30_000, // docs/spec/security.md#node-http: in this time a JSON body arrives.
  bodyBytesMax: 65_536, // docs/spec/rest-api.md#request-body: 65,536 bytes are accepted, 65,537 are not.
  backOfficeBodyBytesMax: 1_048_576, // docs/spec/back-office.md#input: what was read, such as an order of 1,000 lines, can be sent.
  jsonDepthMax: 32, // No object needs ten levels; deeper JSON is an attack on the parser.
  pageDefault: 25, // docs/spec/rest-api.md#paging
  pageMax: 100, // docs/spec/rest-api.md#paging: a larger limit is clamped.
  stampsDefault: 1_000, // docs/spec/rest-api.md#list-stamps
  stampsMax: 5_000, // docs/spec/rest-api.md#list-stamps: 425 KB, one message of the bus; a larger limit is clamped.
  tagsPerCreate: 20, // docs/spec/rest-api.md#tags-of-a-save
  tagsPerContact: 250, // Every row of a list carries the tags.
  consentsPerContact: 1_000, // Consent records that one object of an import may bring.
  tagLengthMax: 64, // Tags are index entries.
  liveKeysPerShop: 5, // docs/spec/rest-api.md#limits
  liveAgentsPerShop: 10, // docs/spec/agents-access.md#grants: beside the keys.
  agentNameMax: 100, // docs/spec/agents-access.md#clients
  agentRedirectsMax: 5, // docs/spec/agents-access.md#clients
  agentClientsUnapproved: 1_000, // docs/spec/agents-access.md#clients
  agentClientHours: 24, // docs/spec/agents-access.md#clients: a client that nobody approves is deleted after this time.
  agentSignInsPerMinute: 20, // docs/spec/agents-access.md#limits: registrations, and authorizations, of one source address.
  agentRequestS: 600, // docs/spec/agents-access.md#consent
  agentRetryS: 10, // docs/spec/agents-access.md#tokens: in this time a refresh token works again.
  agentTokensKept: 1_000, // docs/spec/agents-access.md#tokens: of one grant and kind.
  agentPayloadMax: 32_768, // What the OAuth library keeps of a request or token; a request has at most 16 KB of query.
  sourcesPerKey: 20, // docs/spec/back-office.md#restricted-keys
  rollOverlapSMax: 2_592_000, // A month; longer than that two keys are two keys.
  liveTokensPerOperator: 5, // docs/spec/operators-and-roles.md#operators
  shopsPerOperator: 1_000, // A list in one row; an operator of more shops is an owner.
  viewsPerOperator: 50, // docs/spec/operators-and-roles.md#views
  viewNameLengthMax: 64,
  viewPathBytesMax: 1_024,
  sessionHours: 12, // docs/spec/operators-and-roles.md#sign-in
  sessionIdleMinutes: 60,
  signInCodeMinutes: 15,
  orderLinesMax: 1_000, // An order is one document; the largest real one in the sample data has 675 lines.
  variantsMax: 100, // A product's detail is one document.
  optionsPerVariant: 20, // Such as size, colour and material.
  tagsPerProduct: 250, // As tagsPerContact.
  stockMax: 1_000_000_000, // Fits an integer column, and the sum over all variants stays a safe integer.
  appointmentMinutesMax: 527_040, // A leap year; more is a typing error.
  leadHoursMax: 87_840, // Ten years; more is a typing error.
  trialDaysMax: 3_660, // Ten years; more is a typing error.
  quantityMax: 1_000_000, // Keeps quantity times price inside a bigint column and JSON.
  centsMax: 9_007_199_254_740_991, // docs/spec/objects.md#largest-amount
  titleLengthMax: 255, // One line of text.
  textLengthMax: 5_000, // Notes and descriptions typed by people.
  descriptionLengthMax: 65_536, // Imported product pages can be long.
  wordLengthMax: 255, // One line of text, such as a SKU, coupon or city.
  linkLengthMax: 2_048, // Longer links break in mail programs and old proxies.
  emailLengthMax: 254, // RFC 5321.
  idempotencyKeyLengthMax: 255, // As long as Stripe's.
  idempotencyHours: 24, // docs/spec/back-office.md#idempotency-key
  busBytesMax: 512 * 1024, // docs/spec/internals.md#large-messages: the bus refuses messages above 1 MB.
  pageWholeBytes: 500_000, // docs/spec/internals.md#page-parts: a page whose documents are larger is read in parts; below `busBytesMax`.
  pagePartBytes: 250_000, // docs/spec/internals.md#page-parts: documents of one part, or one document.
  readPlacesPerShop: 2, // docs/spec/internals.md#reads-of-one-shop: a quarter of a service's eight database connections.
  answerFreeBytes: 1024 * 1024, // docs/spec/rest-api.md#unread-answers: of each answer these bytes do not count as waiting.
  unreadBytesPerKey: 8 * 1024 * 1024, // docs/spec/rest-api.md#unread-answers
  unreadBytesMax: 64 * 1024 * 1024, // docs/spec/rest-api.md#unread-answers: in a process of a gateway.
  unreadBytesAll: 192 * 1024 * 1024, // The same with the first megabyte of each answer.
  unreadMs: 30_000, // docs/spec/rest-api.md#unread-answers: an answer that makes no progress for this long is cut.
  keptResponseBytesMax: 128 * 1024 * 1024, // Per process: large responses that their callers have not fetched yet.
  keptResponseMs: 10_000, // How long such a response is kept.
  importBytesMax: 5 * 1024 ** 3, // docs/spec/imports.md#size
  importUploadMs: 30_000, // docs/spec/imports.md#size: in this time the next `importUploadBytes` of a file arrive.
  importUploadBytes: 64 * 1024,
  importRecordsMax: 20_000_000, // docs/spec/imports.md#size
  importCellBytesMax: 1024 * 1024, // docs/spec/imports.md#size
  importErrorsPerCode: 20, // docs/spec/back-office.md#imports
  importErrorsMax: 1_000, // Above it the report shows no further codes.
  importProblemsAtOnce: 500, // One bus call with problems of an import.
  importChunkBytes: 500_000, // A part of the file of a background import; below `busBytesMax`.
  importUploadsAtOnce: 8, // Files of background imports that a process takes at once.
  importIdleMs: 600_000, // The file of a background import that has stopped arriving is deleted after this time.
  importChunksAtOnce: 200, // Some 100 MB of chunks that one statement deletes.
  importsQueuedPerShop: 10, // Background imports of a shop that wait or run.
  importLeaseMs: 7_000, // A worker that is silent for so long has lost its import.
  importRunsMax: 20, // An import whose workers died so often fails.
  importHeldBytes: 8 * 1024 * 1024, // Records of incomplete objects; above it they are read from the file again.
  importsAtOnce: 4, // Per process: each has a file on disk and loads the services. Background imports take one less.
  importBatchBytes: 256 * 1024, // One bus call of an import; well below the 1 MB of the bus.
  importLinksAtOnce: 5_000, // Ids in one question which objects they are; about 200 KB.
  importBatchObjects: 100, // One bus call of an import, and one transaction.
  importRefundsAtOnce: 100, // One bus call of an import; each refund has a transaction of its own.
  importBatchesAtOnce: 3, // Half of a service's connections for changes: those of other shops wait for none of an import.
  refundCandidatesAtOnce: 20, // One bus call of a dry run, each refund with its candidates.
  refundCandidatesMax: 200, // Orders that one refund could be taken from, about 100 bytes each in one bus call.
  identityTrustedMs: 1_500, // docs/spec/internals.md#cached-keys: from when auth confirmed it, so that a revoked key is refused within 2 s.
  recognisedAtOnce: 500, // Keys in one request of a gateway; about 150 KB of response.
  keysAtOnce: 500, // Keys in one question whether they exist; about 30 KB.
  sourcesAtOnce: 500, // Source addresses in one report of failed authentications; about 40 KB.
  leaseUnitsMax: 16, // docs/spec/internals.md#grant: units of one grant.
  leaseAloneUnitsMax: 48, // Units of one grant where no other gateway holds units of that key.
  pagesKeptBytes: 10 * 1024 * 1024, // docs/spec/internals.md#page-cache: about 250 pages of 25 orders.
  pageKeptMs: 60_000, // A page not requested for this long leaves the cache; restoring a database takes longer.
  pageReadAgainMs: 3_600_000, // A page is read again after this long: its cursor may be of a SECRET_KEY that is being rotated.
  watermarksKept: 10_000, // Shops of which a service remembers the last watermark; about 2 MB.
  versionsAtOnce: 500, // Shops in one request for the versions of their lists; about 20 KB.
  toolCallMs: 60_000, // docs/spec/mcp.md#time-limit
  commandMs: 10_000, // docs/spec/internals.md#deadlines
  reservationS: 120, // docs/spec/order-states.md#reservation
  optInHours: 72, // docs/spec/double-opt-in.md#token
  optInGapMinutes: 10, // docs/spec/double-opt-in.md#limits: between two mails of one shop to one mailbox.
  optInsPerDayShop: 3, // Mails of one shop to one mailbox in 24 hours.
  optInsPerDayAll: 10, // Mails of all shops to one mailbox in 24 hours.
  optInsPerHourShop: 500, // Mails of one shop to all mailboxes in an hour.
  optInKeptDays: 90, // How long "this was not me" works; mail providers require 30 days.
  mailMs: 8_000, // One mail from the first packet to the last response; less than `commandMs`.
  mailBreakerOpenMs: 15_000, // How long the breaker of the mail server stays open.
  mailConnections: 5, // Mail servers refuse more than a few from one address.
  formsPerMinute: 60, // docs/spec/double-opt-in.md#form-budget
  mailsAtOnce: 50, // What `mailConnections` can send in `mailMs` at one second each, rounded up.
  requestsKeptPerSecond: 10, // docs/spec/request-log.md#request-log: of each shop.
  requestsKeptDays: 7, // docs/spec/request-log.md#request-log
  requestMessageMax: 500, // Characters of an error's words in the request log; none of ours is longer.
  liveEventsPerSecond: 50, // docs/spec/request-log.md#live-stream: of each shop.
  liveLeaseMs: 15_000, // docs/spec/request-log.md#live-stream
  liveStreamsMax: 500, // Per process of the admin gateway.
  liveStreamsPerOperator: 20, // Of those; the root operator has no bound of its own.
  liveUnreadBytes: 64 * 1024, // docs/spec/request-log.md#live-stream: what waits for the reader of one stream.
  webhookEndpointsPerShop: 5, // docs/spec/webhooks.md#endpoint-limit
  webhookOverlapSMax: 604_800, // docs/spec/webhooks.md#rotation
  webhookTestsPerMinute: 10, // docs/spec/webhooks.md#test-events, per endpoint.
  eventWaitS: 25, // docs/spec/rest-api.md#list-events: below the 30 s after which clients and proxies give up.
  eventWaitersMax: 5_000, // Per gateway process: waiting calls, about 20 KB each.
  webhookReplayDaysMax: 30, // docs/spec/webhooks.md#replay
  archivePageRows: 250, // One read of an archive; the database renders so many rows at most for a page.
  archivePageBytes: 400_000, // One read of an archive, below `busBytesMax`; one larger row is a page of its own.
  restoreBatchRows: 250, // docs/spec/archives.md#restore: rows of one transaction.
  restoreBatchBytes: 400_000, // The command line ends a batch here; one larger row is a batch of its own.
  restoreBodyBytesMax: 8 * 1024 * 1024, // An order of 1,000 lines, all texts at their longest, has less.
} as const
