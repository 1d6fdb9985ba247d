// The messages between services and who receives them: docs/spec/events.md#outbox. The sender writes a message into its
// outbox in the transaction that causes it; the relay calls each receiver until it answers.

/** Receiving actions by message kind. */
export const receivers = {
  'order.placed': ['products.settle'], // The reserved stock belongs to the order now.
  'product.deleted': ['orders.forget_product'], // Order lines keep title, sku and prices; their productId becomes null.
  'contact.erased': ['orders.forget_person'], // Orders keep what was sold; the buyer becomes null.
  'events.forgotten': ['webhooks.forget'], // Deletes the events that name an erased person, with their deliveries.
} as const

export type MessageKind = keyof typeof receivers

/** The params of a receiving action; `id` is the same at each repetition. */
export type Message = { id: string; kind: MessageKind; shop_id: string; body: Record<string, unknown> }
