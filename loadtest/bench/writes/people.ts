// The people whom the benchmark writes about, as the template shops of seed.ts make them.

// The numbers are primes, so that a shop that gets every 80th or 200th turn gets each of its rows in turn.
/** Contacts that are changed, of the shops that clients call; every other one has the tag `vip`. */
export const CONTACTS = 199
/** Contacts of a shop that the back office writes in. */
export const BUYERS = 19

export function tagOfContact(number: number): string {
  return number % 2 === 0 ? 'vip' : 'new'
}

export function emailOfContact(number: number | string, tag?: string): string {
  return `${tag ?? tagOfContact(Number(number))}-${number}@example.com`
}

export function emailOfBuyer(number: number | string): string {
  return `buyer-${number}@example.com`
}
