// The history of the demo shop: people, products, orders and memberships with their moves. Plain data, replayed by
// replay-history.ts. Nobody here is real: addresses end in example.com, and the phone numbers are of the range that Ofcom
// reserves for fiction.

export type Body = { [field: string]: unknown }
/** The last segment of the path of a move, and its body where it has one. */
export type PastMove = string | readonly [move: string, body: Body]
type Appointment = { inDays: number; serviceMode: string; serviceLocation: string | null }

/** All days are counted from the creation of the shop. */
export type PastPerson = { daysAgo: number; consentDaysAgo?: number; contact: Body }
export type PastProduct = { startsInDays?: number; product: Body }
/** `items` names products of this file, or products of the product file by slug. */
export type PastOrder = {
  daysAgo: number
  who: string
  paymentMethod: string
  items: readonly (readonly [product: string, quantity: number])[]
  moves: readonly PastMove[]
  appointment?: Appointment
  more?: Body
}
export type PastMembership = {
  daysAgo: number
  who: string
  product: string
  terms: Body
  moves: readonly PastMove[]
  /** Where its last payment fails it becomes `unpaid`, not `canceled`, which is the setting of the shop otherwise. */
  endsUnpaid?: true
}

const town = (line1: string, city: string, postalCode: string): Body => ({
  address: { line1, line2: null, city, region: null, postalCode, country: 'GB' },
})

export const people: Record<string, PastPerson> = {
  nora: person(
    410,
    'Nora Whitfield',
    ['regular', 'styling'],
    '020 7946 0011',
    town('4 Quay Row', 'Whitby', 'YO21 3PU'),
  ),
  tom: person(380, 'Tom Ashdown', ['trade'], '0161 496 0022', town('88 Canal Street', 'Manchester', 'M1 3HE')),
  priya: person(300, 'Priya Raman', ['regular'], '0121 496 0033', town('17 Mill Lane', 'Birmingham', 'B14 6AB')),
  owen: person(240, 'Owen Pryce', [], '029 2018 0044', town('9 Castle View', 'Cardiff', 'CF10 1BH')),
  grace: { ...person(200, 'Grace Okafor', ['newsletter', 'club'], '0113 496 0055'), consentDaysAgo: 199 },
  eli: person(160, 'Eli Marchetti', ['club'], '0131 496 0066', town('2 Hill Close', 'Edinburgh', 'EH1 2NG')),
  maya: person(150, 'Maya Lindqvist', ['regular', 'club'], '0117 496 0077', town('31 Dock Road', 'Bristol', 'BS1 6UX')),
  hugo: person(120, 'Hugo Bellamy', ['trade', 'club'], '01632 960088', town('5 Station Yard', 'Leeds', 'LS1 4DY')),
  lena: person(90, 'Lena Fairweather', ['styling'], '0114 496 0099', town('62 Park Hill', 'Sheffield', 'S2 5QX')),
  iris: person(75, 'Iris Calloway', ['newsletter'], '0115 496 0110', town('12 Lace Market', 'Nottingham', 'NG1 1PR')),
  ben: person(60, 'Ben Thackeray', ['workshop'], '0118 496 0121', town('7 Abbey Street', 'Reading', 'RG1 3BA')),
  sam: person(45, 'Sam Delacroix', [], '0141 496 0132', town('20 Kelvin Way', 'Glasgow', 'G3 7TA')),
}

export const products: Record<string, PastProduct> = {
  visit: sold('Home styling visit', 'service', 6_500, {
    booking: { durationMinutes: 90, serviceMode: 'in_person', leadHours: 48 },
  }),
  call: sold('Room plan by video', 'service', 3_500, {
    booking: { durationMinutes: 45, serviceMode: 'online', leadHours: 24 },
  }),
  wreaths: { ...sold('Wreath making evening', 'event', 2_800, { trackInventory: true, stock: 24 }), startsInDays: 19 },
  patterns: sold('Cushion patterns to print', 'digital', 750, { compareAt: { cents: 1_200 } }),
  club: sold('Flower club', 'membership', 1_400, { membership: { interval: 'month', trialDays: 14 } }),
  friends: sold('Friends of the gift room', 'membership', 6_000, { membership: { interval: 'year', trialDays: null } }),
}

const post: Body = { delivery: { label: 'Royal Mail Tracked 48' }, deliveryFee: { cents: 495 } }
const free: Body = { delivery: { label: 'Free delivery' } }
const collected: Body = { delivery: { method: 'collection', pickupLocation: 'The Gift Room, 12 Harbour Street' } }
const welcome: Body = { ...post, discount: { cents: 500 }, coupon: { code: 'WELCOME5' } }
const pending: Body = { ...post, paymentStatus: 'pending' }

const shipped = (trackingNumber: string): PastMove => ['ship', { trackingCarrier: 'Royal Mail', trackingNumber }]
const part = (cents: number): PastMove => ['refund', { amount: { cents } }]
const givenUp: PastMove = ['cancel', { refund: true }]
const disputed = (cents: number, reason: string): PastMove => ['dispute', { amount: { cents }, reason }]
const closed = (outcome: string): PastMove => ['resolve-dispute', { outcome }]
const atHome = (inDays: number): Appointment => ({ inDays, serviceMode: 'in_person', serviceLocation: null })
const online = (inDays: number): Appointment => ({ inDays, serviceMode: 'online', serviceLocation: null })

export const orders: readonly PastOrder[] = [
  order(41, 'nora', 'card', [['floor-lamp', 1]], ['confirm', shipped('QB100000041GB'), 'complete'], post),
  order(40, 'tom', 'bank_transfer', [['brown-table', 1]], ['mark-paid', 'confirm', 'ship', 'complete'], free),
  order(
    38,
    'priya',
    'card',
    [['sofa-pillows', 4]],
    ['confirm', shipped('QB100000038GB'), 'complete', part(2_999)],
    post,
  ),
  order(37, 'owen', 'paypal', [['watering-can', 1]], ['confirm', 'ship', 'complete'], welcome),
  order(35, 'grace', 'card', [['patterns', 1]], ['complete']),
  order(34, 'eli', 'cod', [['round-table', 2]], ['confirm', 'ship', 'mark-paid', 'complete'], collected),
  order(33, 'maya', 'card', [['wooden-shelf', 3]], ['confirm', shipped('QB100000033GB'), 'complete', 'refund'], post),
  visit(31, 'nora', 'visit', atHome(-24), ['confirm', 'complete']),
  order(
    30,
    'hugo',
    'card',
    [['metal-mug', 2]],
    ['confirm', 'ship', disputed(11_998, 'fraudulent'), closed('lost')],
    post,
  ),
  order(
    29,
    'lena',
    'card',
    [['brown-pots', 1]],
    ['ship', disputed(20_000, 'not received'), closed('won'), 'complete'],
    free,
  ),
  order(28, 'tom', 'whatsapp', [['plastic-watering-can', 6]], ['confirm', 'mark-paid', 'ship', 'complete'], collected),
  order(27, 'priya', 'paypal', [['patterns', 1]], ['complete']),
  order(26, 'iris', 'card', [['ceramic-pitcher', 1]], ['confirm', 'ship', part(5_000), part(2_500)], free),
  order(25, 'owen', 'bank_transfer', [['wicker-vase', 1]], ['cancel'], post),
  order(24, 'grace', 'card', [['black-lamp', 2]], [givenUp], welcome),
  order(22, 'ben', 'card', [['wreaths', 2]], ['confirm']),
  order(21, 'maya', 'paypal', [['striped-couch', 1]], ['confirm', shipped('QB100000021GB')], free),
  visit(20, 'lena', 'call', online(-12), ['confirm', 'complete']),
  order(19, 'sam', 'card', [['green-trowel', 1]], ['refund'], post),
  order(18, 'eli', 'paypal', [['plastic-watering-can', 2]], ['payment-failed', 'cancel'], pending),
  order(17, 'iris', 'card', [['wreaths', 1]], ['confirm']),
  order(16, 'hugo', 'bank_transfer', [['brown-chair', 1]], ['payment-pending', 'mark-paid', 'confirm'], free),
  visit(15, 'nora', 'visit', atHome(3), ['confirm', ['reschedule', { serviceLocation: '4 Quay Row, side door' }]]),
  order(14, 'ben', 'card', [['wooden-cabinet', 1]], ['confirm', 'ship', disputed(1_999, 'not as described')], free),
  order(13, 'tom', 'cod', [['wicker-bowl', 1]], ['confirm', 'ship'], post),
  visit(12, 'priya', 'call', online(2), ['confirm', givenUp]),
  order(11, 'sam', 'paypal', [['wooden-shelf', 2]], ['confirm', shipped('QB100000011GB'), 'complete'], welcome),
  order(10, 'grace', 'card', [['wreaths', 4]], ['confirm', part(2_800)]),
  order(9, 'owen', 'bank_transfer', [['floor-lamp', 2]], ['payment-pending'], post),
  order(8, 'lena', 'card', [['black-armchairs', 2]], ['confirm', 'ship', shipped('QB100000008GB')], free),
  order(7, 'maya', 'card', [['patterns', 3]], ['complete', part(750)]),
  order(6, 'iris', 'paypal', [['watering-can', 1]], [], pending),
  order(5, 'eli', 'card', [['sofa-pillows', 2]], ['confirm'], welcome),
  order(4, 'hugo', 'telegram', [['metal-mug', 1]], ['confirm', 'ship'], collected),
  visit(3, 'ben', 'visit', atHome(9), ['confirm']),
  order(2, 'nora', 'card', [['green-trowel', 2]], ['confirm'], { ...post, affiliate: { code: 'HARBOUR' } }),
  order(1, 'sam', 'cod', [['round-table', 1]], [], collected),
  order(0, 'tom', 'card', [['brown-pots', 2]], [], { ...free, note: 'Please ring twice.' }),
]

const card: Body = { billingMode: 'processor' }
const noTrial: Body = { ...card, trialDays: 0 }
const byTransfer: Body = { billingMode: 'manual', paymentMethod: 'bank_transfer', trialDays: 0 }
const givenUpOn: PastMove = ['payment-failed', { lastAttempt: true }]

/** The product itself applies the effects of time: the end of periods and of grace periods of manual members. */
export const memberships: readonly PastMembership[] = [
  membership(5, 'grace', 'club', card, []),
  membership(8, 'eli', 'club', card, ['cancel']),
  membership(11, 'sam', 'club', card, ['cancel', 'resume']),
  membership(40, 'maya', 'club', card, ['renew']),
  membership(75, 'hugo', 'club', noTrial, ['renew', 'renew']),
  membership(50, 'lena', 'club', noTrial, ['payment-failed', 'renew']),
  membership(20, 'iris', 'club', noTrial, ['cancel']),
  membership(33, 'ben', 'club', noTrial, ['payment-failed']),
  membership(33, 'tom', 'club', byTransfer, []),
  membership(60, 'owen', 'club', byTransfer, []),
  membership(48, 'priya', 'club', noTrial, ['end']),
  membership(70, 'nora', 'club', noTrial, ['payment-failed', givenUpOn]),
  membership(100, 'nora', 'friends', card, []),
  membership(10, 'tom', 'friends', { ...byTransfer, paymentMethod: 'paypal' }, ['cancel']),
  membership(0, 'owen', 'friends', { ...card, firstPayment: 'open' }, []),
  { ...membership(44, 'iris', 'friends', card, ['payment-failed', givenUpOn]), endsUnpaid: true },
]

function person(daysAgo: number, name: string, tags: string[], phone: string, more: Body = {}): PastPerson {
  const email = `${name.toLowerCase().replace(' ', '.')}@example.com`
  return { daysAgo, contact: { name, email, phone, tags, source: 'checkout', ...more } }
}

function sold(title: string, kind: string, cents: number, more: Body): PastProduct {
  return { product: { title, kind, price: { cents }, ...more } }
}

function order(
  daysAgo: number,
  who: string,
  paymentMethod: string,
  items: PastOrder['items'],
  moves: readonly PastMove[],
  more: Body = {},
): PastOrder {
  return { daysAgo, who, paymentMethod, items, moves, more }
}

function visit(
  daysAgo: number,
  who: string,
  product: string,
  appointment: Appointment,
  moves: readonly PastMove[],
): PastOrder {
  return { ...order(daysAgo, who, 'card', [[product, 1]], moves), appointment }
}

function membership(
  daysAgo: number,
  who: string,
  product: string,
  terms: Body,
  moves: readonly PastMove[],
): PastMembership {
  return { daysAgo, who, product, terms, moves }
}
