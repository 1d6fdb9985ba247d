// What of a shop's tables is not in its archive, and why. docs/spec/archives.md#left-out
// A test compares these lists and the parts with the schemas: a new table or column stands in one of them.
import type { ArchivingService } from './parts.ts'

const answers = 'Answers to repeated requests, kept for 24 hours.'
const outbox = 'Messages between services of this installation.'
const versions = 'Counts changes for caches of this installation.'
const log = 'What this installation sent; a restored shop begins with an empty log.'
const epochs = 'Restores in this installation; a restored shop begins a new epoch.'
const files = 'Imported files and reports on them.'
const operators = 'Belongs to the operators of the installation.'
const agents = 'Agents of this installation; a restored shop is approved for them anew.'
const operation = 'Counts and logs of this installation.'

/** Tables without a part, by schema. */
export const leftOutTables: Record<ArchivingService, Record<string, string>> = {
  auth: {
    agent_authorizations: agents,
    agent_clients: agents,
    agent_grants: agents,
    agent_tokens: agents,
    api_keys: 'Only digests of keys exist. A restored shop needs new keys.',
    audit_entries: 'The audit belongs to the installation and stays there.',
    auth_failures: operation,
    budgets: operation,
    identity_versions: versions,
    idempotent_answers: answers,
    import_chunks: files,
    import_files: files,
    import_problems: files,
    imports: files,
    kept_keys: 'Keys of the digests of this installation.',
    operator_tokens: operators,
    operators,
    request_seconds: operation,
    requests: operation,
    restores: 'Restores of this installation.',
    secret_key_uses: operation,
    sessions: operators,
    shop_deletions: 'Shops that are being deleted in this installation.',
    sign_in_codes: operators,
    usage_batches: operation,
    usage_minutes: operation,
    views: operators,
  },
  catalog: {
    idempotent_answers: answers,
    outbox,
    outbox_failures: outbox,
    page_versions: versions,
    reservations: 'Stock of orders that are being placed, for two minutes.',
  },
  contacts: {
    contact_tags: 'Made of the tags of the contacts.',
    idempotent_answers: answers,
    outbox,
    outbox_failures: outbox,
    page_versions: versions,
  },
  orders: {
    epochs,
    events: 'Events before they reach the event log, which is archived.',
    idempotent_answers: answers,
    order_intents: 'Orders that are being placed under an Idempotency-Key.',
    outbox,
    outbox_failures: outbox,
    page_versions: versions,
  },
  subscriptions: {
    epochs,
    events: 'Events before they reach the event log, which is archived.',
    idempotent_answers: answers,
    outbox,
    outbox_failures: outbox,
  },
  webhooks: {
    abandoned_queues: log,
    attempts: log,
    deliveries: log,
    endpoint_hours: log,
    epochs,
    event_pieces: 'Events that have not arrived whole.',
    forgotten_events: 'Events of erased people that may still arrive, for a day.',
    idempotent_answers: answers,
    notices: log,
    outbox,
    outbox_failures: outbox,
    queue: log,
    replays: log,
    schedules: 'Says when the next delivery is due.',
  },
}

const rendered = 'The object as JSON, which a restore renders again.'
const delivery = 'The state of the deliveries of this installation.'
const secret = 'In the part endpoint-secrets.'
const lease = 'The lease of a worker of this installation.'

/** Columns of archived tables that are not in the archive, besides `shop_id`. */
export const leftOutColumns: Record<string, Record<string, string>> = {
  shops: { deleted_at: 'A shop that is deleted has no archive.', document: rendered, record: rendered },
  products: { document: rendered, list_document: rendered },
  contacts: { document: rendered },
  orders: { document: rendered },
  subscriptions: { document: rendered },
  timers: { lease_until: lease, lease_token: lease },
  events: { stored_at: 'When this installation stored it.' },
  endpoints: {
    drain_before: delivery,
    drain_happened_at: delivery,
    drain_id: delivery,
    drain_next_at: delivery,
    failing_since: delivery,
    failures: delivery,
    last_error: delivery,
    old_secret: secret,
    old_secret_key_id: secret,
    old_secret_until: secret,
    paused_until: delivery,
    queue_id: delivery,
    secret,
    secret_key_id: secret,
    secret_last_four: secret,
    tested_at: delivery,
  },
}
