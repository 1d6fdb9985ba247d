// The messages between services and who receives them: docs/spec/outboxes.md. The sender writes a message into its
// outbox in the transaction that causes it; the relay calls each receiver until it answers.

/** Receiving actions by message kind. */
export const receivers = {
  'order.placed': ['products.settle'], // The reserved stock belongs to the order now.
  'product.deleted': ['orders.forget_product'], // Order lines keep title, sku and prices; their productId becomes null.
  'contact.erased': ['orders.forget_person'], // Orders keep what was sold; the buyer becomes null.
  'events.forgotten': ['webhooks.forget'], // Deletes the events that name an erased person, with their deliveries.
  'audit.entry': ['audit.record'], // What an operator has changed: docs/spec/audit.md.
} as const

/** Kinds whose receivers take several messages in one call too, `{ messages }`. All others take one message in each call. */
export const batchKinds = ['order.placed', 'audit.entry'] as const satisfies readonly MessageKind[]

/** Messages in one call. */
export const MESSAGES_MAX = 200

/** The topic of all events: docs/spec/outboxes.md#relay. The topic of a message is its kind. */
export const EVENTS_TOPIC = 'events'

/** The topic of audit entries, which nobody may drop. */
export const AUDIT_TOPIC = 'audit.entry' satisfies MessageKind

/** The schemas with outboxes, and the topics of each. */
export const outboxTopics = {
  catalog: ['product.deleted', 'audit.entry'],
  contacts: ['contact.erased', 'audit.entry'],
  orders: [EVENTS_TOPIC, 'order.placed', 'events.forgotten', 'audit.entry'],
  subscriptions: [EVENTS_TOPIC, 'audit.entry'],
  webhooks: ['audit.entry'],
} as const satisfies Record<string, readonly (keyof typeof receivers | typeof EVENTS_TOPIC)[]>
export type OutboxSchema = keyof typeof outboxTopics

export type MessageKind = keyof typeof receivers

/** A message as receiving actions get it; `id` is the same at each repetition. */
export type Message = { id: string; kind: MessageKind; shop_id: string; body: Record<string, unknown> }
