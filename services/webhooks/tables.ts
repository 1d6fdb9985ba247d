// Owns the tables of the webhooks schema as TypeORM and TypeScript see them.
import { EntitySchema } from 'typeorm'

/** An event as a service handed it over. `body` is what is sent, byte for byte. */
export type EventRow = {
  id: string
  shop_id: string
  object_id: string
  sequence: number
  type: string
  body: string
  happened_at: Date
}

export const EventTable = new EntitySchema<EventRow>({
  name: 'events',
  columns: {
    id: { type: 'uuid', primary: true },
    shop_id: { type: 'uuid' },
    object_id: { type: 'uuid' },
    sequence: { type: 'bigint' },
    type: { type: 'text' },
    body: { type: 'text' },
    happened_at: { type: 'timestamptz', precision: 3, primary: true },
  },
})
