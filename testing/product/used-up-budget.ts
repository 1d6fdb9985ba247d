// A key whose budget is used up for a few seconds: tests of clients cannot wait for the minute of a window.
import { onServer } from '../database.ts'

/** A call with the new key is 429 until then, with the rest of the time in `retry-after`. docs/spec/rest-api.md#rate-limit */
export function useUpBudget(
  { databaseUrl }: { databaseUrl: string },
  shopId: string,
  keyId: string,
  seconds: number,
): Promise<void> {
  return onServer(
    databaseUrl,
    `insert into auth.budgets (key_id, shop_id, window_id, ends_at, used)
     values ('${keyId}', '${shopId}', gen_random_uuid(), clock_timestamp() + interval '${seconds} seconds', 240)`,
  )
}
