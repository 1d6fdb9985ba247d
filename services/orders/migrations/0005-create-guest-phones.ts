// Owns the way to the orders of a person who is known by a phone alone; see forgotten-person.ts. Orders with an email or a
// contact are found by orders_email and orders_contact.
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
