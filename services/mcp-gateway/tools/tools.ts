// The table of tools, sorted by name: action, arguments and descriptions (docs/spec/mcp.md#tools, docs/spec/mcp.md#descriptions).
// The schemas of arguments and results are those of the action's params and of the REST body.
import type { z } from 'zod'
import type { ActionName } from '#contracts/actions'
import { contact, savedContact } from '#contracts/objects/contact'
import { limits } from '#contracts/limits'
import { order } from '#contracts/objects/order'
import { page, single } from '#contracts/objects/scalar'
import { product } from '#contracts/objects/product'
import { shop } from '#contracts/objects/shop'
import type { Calls } from '#calls/calls'
import type { Words } from '#schema/tool-schema'

export type Tool = {
  name: string
  title: string
  description: string
  action: ActionName
  /** The function of `Calls` that the tool uses: it decides on time limits and repeats. */
  callKind: keyof Calls
  writes: boolean
  hints: { destructive: boolean; openWorld: boolean }
  /** The params of the action that the tool takes. */
  takes: readonly string[]
  /** What its inputSchema says about an argument besides the type. */
  words: Words
  gives: z.ZodType
  /** The tool whose outputSchema shows the whole object; null where this tool's own does. */
  asIn: string | null
  /** Where a model finds an id for this tool. */
  sourceOfId: string
  /** Turns arguments as models write them into the params of the action. */
  adapt?(given: Record<string, unknown>): Record<string, unknown>
}

const reading = { writes: false, callKind: 'read', hints: { destructive: false, openWorld: false } } as const
const paging: Words = {
  limit: {
    minimum: 1,
    default: limits.pageDefault,
    description: `Above ${limits.pageMax} means ${limits.pageMax}.`,
  },
  cursor: { description: 'next_cursor of the page before.' },
}

export const tools: readonly Tool[] = [
  {
    name: 'create_contact',
    title: 'Save a contact',
    description:
      'Adds a person, or updates the contact with this email or phone; safe to repeat. Consent can never be set: send_opt_in mails a link to give it, optInSent says if the mail went out.',
    action: 'contacts.upsert',
    callKind: 'mailing',
    writes: true,
    hints: { destructive: false, openWorld: true },
    takes: ['email', 'phone', 'name', 'tags', 'send_opt_in'],
    words: {
      email: { format: 'email' },
      phone: { description: "With country code, or of the shop's country." },
      name: { description: 'Only fills a gap.' },
      tags: { description: `Added, never replaced; ${limits.tagsPerCreate} are kept, see droppedTags.` },
      send_opt_in: { description: 'Only if the person asked for mail.' },
    },
    gives: single(savedContact),
    asIn: 'get_contact',
    sourceOfId: 'list_contacts',
  },
  {
    ...reading,
    name: 'get_contact',
    title: 'Get a contact',
    description: 'One contact.',
    action: 'contacts.get',
    takes: ['id'],
    words: { id: { format: 'uuid', description: 'id from list_contacts, or customer.clientId.' } },
    gives: single(contact),
    asIn: null,
    sourceOfId: "list_contacts, or an order's customer.clientId",
  },
  {
    ...reading,
    name: 'get_order',
    title: 'Get an order',
    description: 'One order with its items.',
    action: 'orders.get',
    takes: ['id'],
    words: { id: { format: 'uuid', description: 'id from list_orders.' } },
    gives: single(order),
    asIn: null,
    sourceOfId: 'list_orders',
  },
  {
    ...reading,
    name: 'get_product',
    title: 'Get a product',
    description: 'One product with its variants.',
    action: 'products.get',
    takes: ['id'],
    words: { id: { format: 'uuid', description: 'id from list_products, or productId of an item.' } },
    gives: single(product),
    asIn: null,
    sourceOfId: 'list_products, or productId of an order item',
  },
  {
    ...reading,
    name: 'get_shop',
    title: 'Get the shop',
    description: 'The shop: currency of all prices, time zone for times.',
    action: 'shop.get',
    takes: [],
    words: {},
    gives: single(shop),
    asIn: null,
    sourceOfId: 'get_shop',
  },
  {
    ...reading,
    name: 'list_contacts',
    title: 'List contacts',
    description: 'The contact list. marketingConsentAt null: no consent to marketing.',
    action: 'contacts.list',
    takes: ['tag', 'email', 'consented', 'limit', 'cursor'],
    words: {
      tag: { description: 'Carries this tag.' },
      email: { format: 'email', description: 'Exact, any case.' },
      consented: { type: 'boolean', description: 'true: with consent only; no opposite.' },
      ...paging,
    },
    gives: page(contact),
    asIn: 'get_contact',
    sourceOfId: 'list_contacts',
    adapt: ({ consented, ...given }) =>
      consented === undefined
        ? given
        : { ...given, consented: typeof consented === 'boolean' ? String(consented) : consented },
  },
  {
    ...reading,
    name: 'list_orders',
    title: 'List orders',
    description:
      'Orders with items. status is fulfilment, paymentStatus is money; neither implies the other. Refunds are in refunded, not taken off total. Add cents, show amount.',
    action: 'orders.list',
    takes: ['status', 'payment_status', 'email', 'limit', 'cursor'],
    words: {
      status: { description: 'Fulfilment.' },
      payment_status: { description: 'Money; disputed is a chargeback.' },
      email: {
        format: 'email',
        description: 'As typed at checkout; a person is customer.clientId.',
      },
      ...paging,
    },
    gives: page(order),
    asIn: 'get_order',
    sourceOfId: 'list_orders',
  },
  {
    ...reading,
    name: 'list_products',
    title: 'List products',
    description: 'Products without variants. inStock: can be bought now. stock null: not counted, not zero.',
    action: 'products.list',
    takes: ['kind', 'published', 'limit', 'cursor'],
    words: {
      kind: { description: 'Kind of product.' },
      published: { description: 'false: drafts; absent: both.' },
      ...paging,
    },
    gives: page(product),
    asIn: 'get_product',
    sourceOfId: 'list_products',
  },
  {
    name: 'update_contact_tags',
    title: 'Change tags',
    description: 'Adds and removes tags; the others stay. Safe to repeat.',
    action: 'contacts.tag',
    callKind: 'command',
    writes: true,
    hints: { destructive: true, openWorld: false },
    takes: ['id', 'add', 'remove'],
    words: {
      id: { format: 'uuid', description: 'id from list_contacts.' },
      add: { description: 'Give add, remove or both.' },
    },
    gives: single(contact),
    asIn: 'get_contact',
    sourceOfId: 'list_contacts',
  },
]
