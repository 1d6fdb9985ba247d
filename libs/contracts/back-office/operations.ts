// The routes of imports, usage, requests, audit, operators and outboxes. docs/spec/back-office.md#imports,
// docs/spec/request-log.md#usage, docs/spec/request-log.md#request-log, docs/spec/audit.md, docs/spec/operators-and-roles.md#operators,
// docs/spec/outboxes.md#parked-messages
import { auditEntry } from '../objects/audit-entry.ts'
import { deleted, newOperatorToken, secretKey, signInLink } from '../objects/back-office.ts'
import { importRecord } from '../objects/import-record.ts'
import { operator, operatorToken, view } from '../objects/operator.ts'
import { outboxMessage } from '../objects/outbox-message.ts'
import { requestPage } from '../objects/request.ts'
import { usage } from '../objects/shop.ts'
import type { OutboxSchema } from '../outbox-messages.ts'
import { change, create, get, many, move, one, put, remove } from './route.ts'

export const activityRoutes = [
  create(
    '/shops/{shop}/imports',
    'imports.begin',
    one(importRecord),
    'Imports a file; answers when it is finished, in the background when it has arrived.',
    {
      body: 'file',
      statuses: [201, 202],
    },
  ),
  get('/shops/{shop}/imports', 'imports.list', many(importRecord), 'Imports, newest first.'),
  get('/shops/{shop}/imports/{id}', 'imports.get', one(importRecord), 'One import with its progress.'),
  move(
    '/shops/{shop}/imports/{id}/cancel',
    'imports.cancel',
    one(importRecord),
    'Cancels an import; what it has written stays.',
  ),
  get('/shops/{shop}/usage', 'usage.list', many(usage), 'Calls and refusals of each key by the minute, oldest first.'),
  get(
    '/shops/{shop}/requests',
    'requests.list',
    requestPage,
    'Requests of the keys that were not answered 2xx, newest first.',
  ),
  get(
    '/shops/{shop}/audit',
    'audit.list',
    many(auditEntry),
    'What operators changed or tried to change in the shop, newest first.',
  ),
  get(
    '/audit',
    'audit.list_all',
    many(auditEntry),
    'What operators changed or tried to change, and every sign-in, newest first.',
  ),
]

export const operatorRoutes = [
  create('/operators', 'operators.create', one(operator), 'Creates an operator.'),
  get('/operators', 'operators.list', many(operator), 'Operators, newest first.'),
  get('/operators/{id}', 'operators.get', one(operator), 'One operator.'),
  change('/operators/{id}', 'operators.change', one(operator), 'Changes an operator.'),
  move('/operators/{id}/disable', 'operators.disable', one(operator), 'Disables an operator for good.'),
  move(
    '/operators/{id}/sign-in-links',
    'operators.create_link',
    one(signInLink),
    'Makes a link that signs the operator in once.',
    { showsSecret: true },
  ),
  remove(
    '/operators/{id}/sessions',
    'operators.end_sessions',
    one(operator),
    'Ends every session of the operator; of its own each operator may.',
  ),
  create(
    '/operators/{id}/tokens',
    'operator_tokens.create',
    one(newOperatorToken),
    'Creates a token; an operator has at most 5 live ones.',
    { showsSecret: true },
  ),
  get('/operators/{id}/tokens', 'operator_tokens.list', many(operatorToken), 'Tokens of the operator, newest first.'),
  remove('/operators/{id}/tokens/{token}', 'operator_tokens.revoke', one(operatorToken), 'Revokes a token.'),
]

/** What belongs to the operator who calls. docs/spec/operators-and-roles.md#views */
export const ownRoutes = [
  get('/me/views', 'views.list', many(view), 'Views of the console that the caller has named, newest first.'),
  put('/me/views/{name}', 'views.save', one(view), 'Keeps a path of the console under a name; at most 50.'),
  remove('/me/views/{name}', 'views.delete', one(deleted), 'Deletes a view.'),
]

/** docs/spec/running.md#rotation-of-the-secret-key */
export const installationRoutes = [
  get(
    '/secret-key',
    'secret_key.get',
    one(secretKey),
    'How a rotation of `SECRET_KEY` stands, and whether the previous key can be removed.',
  ),
]

export const outboxRoutes = [
  ...ofOutbox('catalog'),
  ...ofOutbox('contacts'),
  ...ofOutbox('orders'),
  ...ofOutbox('subscriptions'),
  ...ofOutbox('webhooks'),
]

function ofOutbox<Schema extends OutboxSchema>(schema: Schema) {
  return [
    get(
      `/outbox/${schema}`,
      `${schema}.list_parked`,
      many(outboxMessage),
      `Parked messages of ${schema}, the last parked first.`,
    ),
    move(`/outbox/${schema}/{id}/retry`, `${schema}.retry_parked`, one(outboxMessage), 'Tries a parked message again.'),
    remove(
      `/outbox/${schema}/{id}`,
      `${schema}.drop_parked`,
      one(deleted),
      'Drops a parked message for good. An audit entry is 409 `conflict`: it can only be retried.',
    ),
  ]
}
