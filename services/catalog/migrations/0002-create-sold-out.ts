// The flag `sold_out`, and the indexes that find products by SKU and title. docs/spec/objects.md#stock-and-availability,
// docs/spec/imports.md#shopify-orders
import type { QueryRunner } from 'typeorm'

export class CreateSoldOut1763600000023 {
  name = 'CreateSoldOut1763600000023'

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      alter table products add sold_out boolean not null default false;
      alter table variants add sold_out boolean not null default false;
      create index products_sku on products (shop_id, sku) where sku is not null;
      create index products_title on products (shop_id, title);
      create index variants_sku on variants (shop_id, sku) where sku is not null;
    `)
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`
      drop index products_sku, products_title, variants_sku;
      alter table products drop sold_out;
      alter table variants drop sold_out;
    `)
  }
}
