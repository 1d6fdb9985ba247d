// Adds the index by which erasing a person finds orders of guests by phone; see erasure/on-contact-erased.ts.
import type { QueryRunner } from 'typeorm'

export class CreateGuestPhones1763600000042 {
  name = 'CreateGuestPhones1763600000042'

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      create index orders_guest_phone on orders (shop_id, customer_phone)
        where client_id is null and customer_phone is not null
    `)
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('drop index orders_guest_phone')
  }
}
