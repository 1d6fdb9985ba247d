// Owns the messages that services owe each other and who receives them. The sender writes one into its outbox, in the
// transaction that caused it, and does not know the receivers; the relay calls each of them until it answers.

export const receivers = {
  'order.placed': ['products.settle'], // The stock that was set aside belongs to the order now.
  'product.deleted': ['orders.forget_product'], // Order lines keep title, sku and prices; their productId becomes null.
  'contact.erased': ['orders.forget_person'], // Orders keep what was sold; who bought it becomes null.
  'events.forgotten': ['webhooks.forget'], // Bodies, deliveries and log of events that told of an erased person.
} as const

export type MessageKind = keyof typeof receivers

/** What a receiving action is called with; `id` is the same however often the message comes. */
export type Message = { id: string; kind: MessageKind; shop_id: string; body: Record<string, unknown> }
